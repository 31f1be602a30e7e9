//! The rules about what is stored: each change is judged by what stood before it.

use std::collections::BTreeMap;

use fencepost_domain::time::DAY_MS;

use super::{
    Oracle, Rule, State, Step, marks,
    state::{Item, Lease, Page, Receipt, publication_key},
};
use crate::{stats::Stats, world::ActorId};

impl Oracle {
    /// Holds a change against the promises.
    pub(super) fn judge(&mut self, before: &State, after: &State, step: &Step<'_>, stats: &mut Stats) {
        let new = after.receipts.len().saturating_sub(before.receipts.len());
        let newest = (new == 1).then(|| after.receipts.last()).flatten();
        let fallen = fences(before, after, |id| self.forgotten.contains(&id));
        let mut rule = |rule, problem: Option<String>| {
            let holds = problem.is_none();
            self.check(rule, stats, holds, || problem.unwrap_or_default());
        };
        rule(Rule::RevisionsDense, revisions(before, after));
        rule(Rule::PageLedgerReceipt, together(after));
        rule(Rule::VersionCountsReceipts, versions(after));
        rule(Rule::PublishedOnce, kinds(after));
        rule(Rule::FencesNeverFall, fallen);
        if let Some((actor, call)) = step.call {
            rule(Rule::LeaseIsItsHolders, holders(before, after, actor, step.clock, call));
            rule(Rule::MovedByHolder, moved_by_holder(before, after, actor, step.clock, call));
            rule(Rule::LeasedWhenRipe, leased_when_ripe(before, after, step.clock, call));
            rule(Rule::OneAtATime, one_at_a_time(before, after, call));
        }
        rule(Rule::OneWay, one_way(before, after));
        rule(Rule::QuotaKept, quota(after));
        rule(Rule::Traced, traced(before, after, step.call.map(|(_, call)| call)));
        rule(Rule::LawfulMoves, moves(before, after, step));
        rule(Rule::BankRevision, bank_revision(before, after));
        rule(Rule::Calendar, calendar(after));
        rule(Rule::PhotoStays, photo_stays(before, after));
        rule(Rule::PhotosThere, photos(after, step));
        if let Some(receipt) = newest {
            rule(Rule::WrittenUnderLease, under_lease(before, receipt, step.clock));
            rule(Rule::LeaseEnds, lease_ends(after, receipt));
            rule(Rule::CommittedOnce, committed_once(before, receipt));
            rule(Rule::ContentOfTheBank, content(before, after, receipt));
            rule(Rule::PhotoOfTheBank, photo(before, after, receipt));
            rule(Rule::LateLeftAlone, too_late(before, after, receipt));
            rule(Rule::QuotaKept, over_set_quota(before, receipt));
            if receipt.kind != "withdraw" {
                rule(Rule::EmbargoKept, embargo(before, receipt, step.clock));
                let paused = before.paused.then(|| format!("{} while paused", told(receipt)));
                rule(Rule::PauseKept, paused);
            }
        }
        self.judge_corrections(before, after, stats);
        if let Some((actor, _)) = step.call {
            self.judge_moves(before, after, actor, stats);
        }
    }

    fn judge_moves(&mut self, before: &State, after: &State, actor: ActorId, stats: &mut Stats) {
        let Some(from) = self.moved_from.get(&actor).copied() else { return };
        for item in &before.items {
            if after.item(item.id).is_some_and(|new| new.due_at != item.due_at) {
                self.check(Rule::CorrectionsStay, stats, item.due_at == from, || {
                    format!("{item:?} was moved by {actor}, who had seen it due at {from}")
                });
            }
        }
    }

    fn judge_corrections(&mut self, before: &State, after: &State, stats: &mut Stats) {
        for puzzle in &after.puzzles {
            let old = before.puzzle(puzzle.id);
            if old.is_some_and(|old| old.name == puzzle.name) {
                continue;
            }
            let Some(mark) = marks::read(&puzzle.name) else { continue };
            let Some(expected) = self.expected.get(&(puzzle.id, mark.edit)).copied() else { continue };
            let found = old.map_or(0, |old| old.bank_version);
            self.check(Rule::CorrectionsStay, stats, found == expected, || {
                format!("edit {mark:?} was made for version {expected} and has replaced version {found}")
            });
        }
    }
}

fn told(receipt: &Receipt) -> String {
    let Receipt { id, kind, owner, fence, version, revision, .. } = receipt;
    format!("{kind} of puzzle {id}, version {version}, revision {revision}, by {owner} under fence {fence}")
}

fn revisions(before: &State, after: &State) -> Option<String> {
    let dense = after.receipts.iter().zip(1..).all(|(receipt, revision)| receipt.revision == revision);
    let count = i64::try_from(after.receipts.len()).unwrap_or(i64::MAX);
    if !dense || after.revision != count {
        return Some(format!("revision {}, receipts {:?}", after.revision, after.receipts));
    }
    let kept =
        after.receipts.starts_with(&before.receipts) && after.receipts.len() <= before.receipts.len() + 1;
    (!kept).then(|| format!("receipts {:?} became {:?}", before.receipts, after.receipts))
}

fn of(state: &State, id: i64) -> impl Iterator<Item = &Receipt> {
    state.receipts.iter().filter(move |receipt| receipt.id == id)
}

fn together(state: &State) -> Option<String> {
    let fits = |item: &Item| {
        let newest = of(state, item.id).last();
        match state.page(item.id) {
            None => item.state != "published" && newest.is_none(),
            Some(page) => {
                item.state == if page.withdrawn { "withdrawn" } else { "published" }
                    && newest.is_some_and(|receipt| {
                        receipt.token == page.token && receipt.committed_at == page.updated_at
                    })
            }
        }
    };
    let unfit = state.items.iter().find(|item| !fits(item));
    if let Some(item) = unfit {
        let receipts: Vec<_> = of(state, item.id).collect();
        return Some(format!("{item:?}, {:?}, {receipts:?}", state.page(item.id)));
    }
    let is_known = |id| state.item(id).is_some();
    let stray = state.pages.iter().map(|page| page.id).chain(state.receipts.iter().map(|receipt| receipt.id));
    let stray = stray.chain(state.puzzles.iter().map(|puzzle| puzzle.id)).find(|id| !is_known(*id));
    stray.map(|id| format!("puzzle {id} has no item"))
}

fn versions(state: &State) -> Option<String> {
    let fits = |page: &Page| {
        let dense = of(state, page.id).zip(1..).all(|(receipt, version)| receipt.version == version);
        dense && usize::try_from(page.version).is_ok_and(|version| of(state, page.id).count() == version)
    };
    state.pages.iter().find(|page| !fits(page)).map(|page| {
        format!(
            "{page:?} has receipts {:?}",
            of(state, page.id).map(|receipt| receipt.version).collect::<Vec<_>>()
        )
    })
}

/// A page begins by being published, is changed and taken back while it is public, and
/// brought back when it was taken back.
fn kinds(state: &State) -> Option<String> {
    let follows = |before: Option<&str>, kind: &str| match before {
        None => kind == "publish",
        Some("withdraw") => kind == "reinstate",
        Some(_) => matches!(kind, "update" | "withdraw"),
    };
    state.pages.iter().find_map(|page| {
        let kinds: Vec<_> = of(state, page.id).map(|receipt| receipt.kind.as_str()).collect();
        let lawful = (0..kinds.len()).all(|at| follows(at.checked_sub(1).map(|at| kinds[at]), kinds[at]));
        (!lawful).then(|| format!("puzzle {}: {kinds:?}", page.id))
    })
}

fn fences(before: &State, after: &State, is_forgotten: impl Fn(i64) -> bool) -> Option<String> {
    for old in &before.leases {
        let id = old.key.strip_prefix("publication:").and_then(|id| id.parse().ok());
        if id.is_some_and(&is_forgotten) {
            continue;
        }
        match after.lease(&old.key) {
            Some(new) if new.fence > old.fence => {}
            Some(new) if new.fence == old.fence && new.owner == old.owner => {}
            new => return Some(format!("{old:?} became {new:?}")),
        }
    }
    let mut highest: BTreeMap<i64, i64> = BTreeMap::new();
    for receipt in after.receipts.iter().filter(|receipt| !is_forgotten(receipt.id)) {
        let high = highest.entry(receipt.id).or_default();
        if receipt.fence < *high {
            return Some(format!("{}, after fence {high}", told(receipt)));
        }
        *high = receipt.fence;
    }
    None
}

/// Whether an owner's name was drawn by an actor.
fn is_drawn_by(owner: &str, actor: ActorId) -> bool {
    owner
        .rsplit('/')
        .next()
        .and_then(|drawn| drawn.split_once('-'))
        .is_some_and(|(it, _)| it == actor.to_string())
}

/// The leases that a step has changed.
fn changed_leases<'a>(before: &'a State, after: &'a State) -> impl Iterator<Item = &'a Lease> {
    after.leases.iter().filter(|lease| before.lease(&lease.key) != Some(*lease))
}

/// Whoever asks again for what he has keeps his fence; only a take-over asks nobody.
fn holders(before: &State, after: &State, actor: ActorId, clock: i64, call: &str) -> Option<String> {
    changed_leases(before, after).find_map(|new| {
        let old = before.lease(&new.key);
        let revived =
            old.is_some_and(|old| old.fence == new.fence && !old.is_live(clock) && new.is_live(clock));
        let outran_itself = call != TAKE_OVER
            && old.is_some_and(|old| old.owner == new.owner && old.fence != new.fence && old.is_live(clock));
        let allowed = is_drawn_by(&new.owner, actor) && !revived && !outran_itself;
        (!allowed).then(|| format!("{old:?} became {new:?} at {clock}, by {actor}"))
    })
}

const TAKE_OVER: &str = "publication_ledger/take_item_over";

/// Whether an item may be taken in hand, as far as time goes.
fn is_ripe(item: &Item, clock: i64) -> bool {
    item.due_at <= clock && !item.rests(clock)
}

/// A job leases nothing that is not due, that waits for its next attempt, or that is out,
/// taken back or blocked.
fn leased_when_ripe(before: &State, after: &State, clock: i64, call: &str) -> Option<String> {
    if call != "publication_ledger/claim_item" {
        return None;
    }
    let is_ripe =
        |item: &Item| matches!(item.state.as_str(), "scheduled" | "processing") && is_ripe(item, clock);
    let unripe = changed_leases(before, after)
        .find(|lease| !before.items.iter().any(|item| item.lease_key() == lease.key && is_ripe(item)))?;
    Some(format!("{unripe:?} at {clock}, and the items were {:?}", before.items))
}

/// A call is about one thing, which is there; only an import is about many.
fn one_at_a_time(before: &State, after: &State, call: &str) -> Option<String> {
    let leases: Vec<_> = changed_leases(before, after).collect();
    let items: Vec<_> = after.items.iter().filter(|item| before.item(item.id) != Some(*item)).collect();
    let of_nothing = leases.iter().find(|lease| id_of(&lease.key).is_none_or(|id| after.item(id).is_none()));
    let many = leases.len() > 1 || (items.len() > 1 && !call.starts_with("puzzle_bank/"));
    (many || of_nothing.is_some()).then(|| format!("{call} has changed {leases:?} and {items:?}"))
}

/// An import and a retry take an item out of whosever hands it is; all else is the holder's.
fn moved_by_holder(before: &State, after: &State, actor: ActorId, clock: i64, call: &str) -> Option<String> {
    if !call.starts_with("publication_ledger/") || call == "publication_ledger/trace_retry" {
        return None;
    }
    let moved =
        after.items.iter().find(|item| before.item(item.id).is_some_and(|old| old.state != item.state))?;
    let key = moved.lease_key();
    let lease = after.lease(&key).filter(|lease| is_drawn_by(&lease.owner, actor));
    // Whoever gives an item back may be late; whoever takes it in hand has a live lease.
    let held = lease.is_some_and(|lease| moved.state != "processing" || lease.is_live(clock));
    (!held).then(|| format!("{moved:?} by {actor}, and the lease is {:?}", after.lease(&key)))
}

fn under_lease(before: &State, receipt: &Receipt, clock: i64) -> Option<String> {
    let lease = before.lease(&publication_key(receipt.id));
    let held = lease.is_some_and(|lease| {
        lease.owner == receipt.owner && lease.fence == receipt.fence && lease.is_live(clock)
    });
    (!held).then(|| format!("{} at {clock}, and the lease was {lease:?}", told(receipt)))
}

fn lease_ends(after: &State, receipt: &Receipt) -> Option<String> {
    let lease = after.lease(&publication_key(receipt.id));
    let ended = lease.is_none_or(|lease| lease.expires_at == 0 || lease.owner != receipt.owner);
    (!ended).then(|| format!("{}, and the lease is {lease:?}", told(receipt)))
}

/// The puzzle that a lease is about.
fn id_of(key: &str) -> Option<i64> {
    key.rsplit(':').next()?.parse().ok()
}

/// Tokens tell by whom they were drawn.
fn committed_once(before: &State, receipt: &Receipt) -> Option<String> {
    let actor = |receipt: &Receipt| receipt.token.split_once('-').map(|(actor, _)| actor.to_owned());
    let earlier = of(before, receipt.id).find(|earlier| actor(earlier) == actor(receipt))?;
    Some(format!("{}, after {}", told(receipt), told(earlier)))
}

fn content(before: &State, after: &State, receipt: &Receipt) -> Option<String> {
    let (page, puzzle) = (after.page(receipt.id)?, before.puzzle(receipt.id)?);
    let shows = |page: &Page| (page.name.clone(), page.image_key.clone(), page.indexable);
    let changes = before.page(receipt.id).is_none_or(|old| shows(old) != shows(page));
    let fits = if brings_content(receipt) {
        page.bank_version == puzzle.bank_version && page.name == puzzle.name && changes
    } else {
        before.page(receipt.id).is_some_and(|old| old.name == page.name)
    };
    (!fits).then(|| format!("{}: {page:?} from {puzzle:?}", told(receipt)))
}

fn photo(before: &State, after: &State, receipt: &Receipt) -> Option<String> {
    let (page, puzzle) = (after.page(receipt.id)?, before.puzzle(receipt.id)?);
    let fits = if brings_content(receipt) {
        page.image_key.as_deref() == before.ready_photo(puzzle)
            && page.image_key.is_some() == puzzle.image_url.is_some()
    } else {
        before.page(receipt.id).is_some_and(|old| old.image_key == page.image_key)
    };
    (!fits).then(|| format!("{}: {page:?} from {puzzle:?}, {:?}", told(receipt), before.photo(receipt.id)))
}

fn brings_content(receipt: &Receipt) -> bool {
    matches!(receipt.kind.as_str(), "publish" | "update")
}

fn embargo(before: &State, receipt: &Receipt, clock: i64) -> Option<String> {
    let due_at = before.item(receipt.id).map_or(i64::MAX, |item| item.due_at);
    let kept = due_at <= receipt.committed_at && receipt.committed_at == clock;
    (!kept).then(|| format!("{} at {clock}, due at {due_at}", told(receipt)))
}

/// A publication that has no trace is that of a job.
fn too_late(before: &State, after: &State, receipt: &Receipt) -> Option<String> {
    if receipt.kind != "publish" || after.actions.iter().any(|action| action.token == receipt.token) {
        return None;
    }
    let (due_at, now) = (before.item(receipt.id)?.due_at, receipt.committed_at);
    let another_day = due_at.div_euclid(DAY_MS) < now.div_euclid(DAY_MS);
    let late =
        (before.skips_late && another_day) || before.skip_older_than.is_some_and(|age| now - due_at > age);
    late.then(|| format!("{}, due at {due_at}", told(receipt)))
}

/// Whether a call is what a person does, but for commits and imports.
fn is_action(call: &str) -> bool {
    ["publication_ledger/trace_", "switches/trace_"].iter().any(|it| call.starts_with(it))
}

/// What people change: the site's switches, items, and pages but for their first publication.
fn traced(before: &State, after: &State, call: Option<&str>) -> Option<String> {
    let call = call.unwrap_or_default();
    let kept = after.actions.starts_with(&before.actions);
    let new = after.actions.get(before.actions.len()..).unwrap_or_default();
    let switches = |state: &State| {
        let quotas = state.quotas.iter().filter_map(|row| Some((row.day, row.set?)));
        (state.paused, state.skips_late, state.skip_older_than, quotas.collect::<Vec<_>>())
    };
    let receipt = after.receipts.get(before.receipts.len()..).and_then(<[Receipt]>::first);
    let expected = match receipt {
        Some(receipt) => {
            let of_a_person = receipt.kind != "publish" || !new.is_empty();
            of_a_person.then_some(receipt.token.as_str())
        }
        None if call.starts_with("puzzle_bank/") => {
            (before.puzzles != after.puzzles).then(|| new.first().map_or("", |it| it.token.as_str()))
        }
        None if switches(before) != switches(after) || is_action(call) => {
            let changed = switches(before) != switches(after) || before.items != after.items;
            changed.then(|| new.first().map_or("", |it| it.token.as_str()))
        }
        None => None,
    };
    let found: Vec<_> = new.iter().map(|action| action.token.as_str()).collect();
    let fits = kept && found == Vec::from_iter(expected) && after.actions.iter().all(|it| !it.landing);
    (!fits).then(|| format!("{call} left {new:?}, and {expected:?} was expected"))
}

fn one_way(before: &State, after: &State) -> Option<String> {
    let turned = |old: &Page| {
        let new = after.page(old.id)?;
        let back = (old.indexable && !new.indexable) || (old.image_key.is_some() && new.image_key.is_none());
        let early = new.published_at != old.published_at;
        (back || early).then(|| format!("{old:?} became {new:?}"))
    };
    before.pages.iter().find_map(turned)
}

fn quota(state: &State) -> Option<String> {
    let mut days: BTreeMap<i64, i64> = BTreeMap::new();
    for receipt in state.receipts.iter().filter(|receipt| receipt.kind == "publish") {
        *days.entry(receipt.committed_at.div_euclid(DAY_MS)).or_default() += 1;
    }
    let used = state.quotas.iter().filter(|row| row.published > 0);
    let counted: BTreeMap<_, _> = used.map(|row| (row.day, row.published)).collect();
    let exceeded = state.quotas.iter().any(|row| row.published > row.quota);
    (counted != days || exceeded).then(|| format!("{:?}, and by receipts {days:?}", state.quotas))
}

/// A publication beyond what a person has set for its day.
fn over_set_quota(before: &State, receipt: &Receipt) -> Option<String> {
    let day = receipt.committed_at.div_euclid(DAY_MS);
    let row = before.quotas.iter().find(|row| row.day == day && row.set.is_some())?;
    let over = receipt.kind == "publish" && row.left(0) <= 0;
    over.then(|| format!("{} beyond {row:?}", told(receipt)))
}

fn moves(before: &State, after: &State, step: &Step<'_>) -> Option<String> {
    // The mark is the second statement of its batch.
    let clocks = [step.clock, step.clock + step.drift];
    let lawful = |old: &Item, new: &Item| {
        let has_page = before.page(old.id).is_some();
        let moved = match (old.state.as_str(), new.state.as_str()) {
            (old, new) if old == new => true,
            ("scheduled", "processing") => clocks.into_iter().any(|clock| is_ripe(old, clock)),
            ("scheduled" | "blocked", "withdrawn")
            | ("processing", "scheduled" | "published" | "blocked" | "withdrawn")
            | ("blocked", "scheduled")
            | ("published", "withdrawn") => true,
            ("withdrawn", "published") => has_page,
            ("withdrawn", "scheduled") => !has_page,
            _ => false,
        };
        moved && (old.due_at == new.due_at || !has_page)
    };
    before.items.iter().find_map(|old| match after.item(old.id) {
        Some(new) if lawful(old, new) => None,
        new => Some(format!("{old:?} became {new:?} at {clocks:?}")),
    })
}

/// All that shows without being published: the bank's rows, their photos, when answers are
/// due, and which puzzles were taken back.
fn shown(state: &State) -> impl PartialEq {
    let of_items = state.items.iter().map(|item| {
        let gone = item.state == "withdrawn" && state.page(item.id).is_none();
        (item.id, item.due_at, gone)
    });
    let photos = state.puzzles.iter().map(|puzzle| state.ready_photo(puzzle).map(str::to_owned));
    (state.puzzles.clone(), of_items.collect::<Vec<_>>(), photos.collect::<Vec<_>>())
}

fn bank_revision(before: &State, after: &State) -> Option<String> {
    let expected = before.bank_revision + i64::from(shown(before) != shown(after));
    (after.bank_revision != expected).then(|| {
        let differs = format!("{:?} {:?} {:?}", after.puzzles, after.items, after.photos);
        format!(
            "{} instead of {expected}: {:?} {:?} {:?} became {differs}",
            after.bank_revision, before.puzzles, before.items, before.photos
        )
    })
}

fn calendar(state: &State) -> Option<String> {
    let of_puzzles = state.puzzles.iter().flat_map(|puzzle| [puzzle.opens_at, puzzle.playable_until]);
    let missing = of_puzzles
        .chain(state.items.iter().map(|item| item.due_at))
        .find(|instant| state.instants.binary_search(instant).is_err());
    missing.map(|instant| format!("{instant} is not among {:?}", state.instants))
}

fn photo_stays(before: &State, after: &State) -> Option<String> {
    let same_address = before.photos.iter().filter_map(|old| {
        let new = after.photo(old.id).filter(|new| new.image_url == old.image_url);
        old.object_key.is_some().then_some((old, new?))
    });
    let changed = same_address.into_iter().find(|(old, new)| old.object_key != new.object_key);
    changed.map(|(old, new)| format!("{old:?} became {new:?}"))
}

fn photos(state: &State, step: &Step<'_>) -> Option<String> {
    let keys = state.photos.iter().filter_map(|photo| photo.object_key.as_ref());
    let keys = keys.chain(state.pages.iter().filter_map(|page| page.image_key.as_ref()));
    keys.into_iter()
        .find(|key| !key.parse().is_ok_and(|key| step.blobs.contains_key(&key)))
        .map(|key| format!("{key} is not stored"))
}
