//! What would become of an item that a job took in hand now, as far as can be seen.
//!
//! A guard speaks of an attempt, and an item that nobody has in hand has none. So the
//! attempt is imagined: with the lease that a claim would get, of the content that would be
//! rendered. What is false all the same is what keeps the item from coming out. Nothing is
//! said here that a store would not say: a [`Rehearsal`](crate::rehearsal::Rehearsal) lets
//! the store evaluate the same attempt, and the contract holds the two together.

use crate::{
    commit::{Change, Commit, CommitKind},
    guard::{GuardFacts, Predicate},
    id::{CommitToken, ContentVersion, Fence, OwnerId},
    lease::{self, DEFAULT_LEASE_MS, Lease, LeaseKey},
    ledger::{Item, ItemState},
    outcome::Outcome,
    page::AnswerContent,
    preflight::Preflight,
};

impl Preflight {
    /// Every predicate of a publication's guard, evaluated as if the item were taken in hand
    /// now and rendered as it is; without any for an item that is out or was taken back,
    /// which nobody would publish, and for an unknown puzzle.
    ///
    /// Of an item in the hands of somebody else, the lease's owner alone is false: fence and
    /// expiry are then those of the holder, and nothing is wrong with them.
    pub fn outlook(&self, daily_quota: i64) -> Vec<(Predicate, bool)> {
        let (Some(item), Some(puzzle)) = (&self.item, &self.puzzle) else { return Vec::new() };
        if matches!(item.state, ItemState::Published | ItemState::Withdrawn) {
            return Vec::new();
        }
        let nobody = OwnerId::new("");
        let claimed = lease::claim(self.lease.as_ref(), &nobody, self.now, DEFAULT_LEASE_MS);
        let standing = claimed.or_else(|| self.lease.clone());
        let marked = match item.state {
            ItemState::Scheduled => Item { state: ItemState::Processing, ..item.clone() },
            _ => item.clone(),
        };
        let commit = Commit {
            lease: Lease {
                key: LeaseKey::Publication(puzzle.puzzle_id),
                owner: nobody,
                fence: standing.as_ref().map_or(Fence::FIRST, |row| row.fence),
                expires_at: self.now,
            },
            token: CommitToken::new(""),
            change: Change::Publish(AnswerContent {
                play_date: puzzle.play_date,
                name: puzzle.name.clone(),
                price_cents: puzzle.price_cents,
                body_html: String::new(),
                image_key: self.photo().cloned(),
            }),
            bank_version: puzzle.bank_version,
            content_version: ContentVersion::NONE,
            daily_quota,
            by: None,
        };
        let facts = GuardFacts { lease: standing.as_ref(), item: Some(&marked), ..self.guard_facts() };
        let guard = CommitKind::Publish.guard().iter();
        guard.map(|predicate| (*predicate, predicate.holds(&commit, &facts))).collect()
    }

    /// What an attempt is called that could not take the item in hand, and the predicate that
    /// kept it away; without one if the item waits after a failure, or if there is nothing to
    /// be published.
    pub fn not_taken(&self) -> (Outcome, Option<Predicate>) {
        match &self.item {
            Some(item) if item.is_runnable(self.now) && !self.catch_up.still_wants(item.due_at, self.now) => {
                (Outcome::Blocked, Some(Predicate::NotTooLate))
            }
            Some(item) if item.is_runnable(self.now) => (Outcome::LeaseHeld, Some(Predicate::LeaseOwner)),
            Some(item) if item.state.is_runnable() => {
                (Outcome::NotDue, (item.due_at > self.now).then_some(Predicate::ItemDue))
            }
            Some(Item { state: ItemState::Blocked, .. }) => (Outcome::Blocked, Some(Predicate::ItemState)),
            _ => (Outcome::Unchanged, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{id::Fence, ledger::LONGEST_WAIT_MS, quota::DailyQuota, scene};

    /// An item that nobody has in hand and that nothing keeps from coming out.
    fn free() -> Preflight {
        let seen = scene::seen(CommitKind::Publish);
        let item = seen.item.clone().map(|item| Item { state: ItemState::Scheduled, ..item });
        Preflight { lease: None, item, ..seen }
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Preflight), expected: &[Predicate]) {
        let mut seen = free();
        change(&mut seen);
        let outlook = seen.outlook(10);
        let named: Vec<_> = outlook.iter().map(|(predicate, _)| *predicate).collect();
        assert_eq!(named, CommitKind::Publish.guard(), "every predicate, in the order of the guard");
        let broken: Vec<_> = outlook.into_iter().filter(|(_, holds)| !holds).map(|(it, _)| it).collect();
        assert_eq!(broken, expected);
    }

    fn item(seen: &mut Preflight) -> &mut Item {
        seen.item.as_mut().unwrap()
    }

    #[test]
    fn each_thing_in_the_way_is_named_alone() {
        check(|_| (), &[]);
        check(|seen| item(seen).state = ItemState::Processing, &[]);
        check(|seen| item(seen).state = ItemState::Blocked, &[Predicate::ItemState]);
        check(|seen| item(seen).due_at = seen.now.plus(1), &[Predicate::ItemDue]);
        check(|seen| seen.image = None, &[Predicate::ImageReady]);
        check(
            |seen| seen.quota = Some(DailyQuota { published: 10, ..DailyQuota::fresh(10) }),
            &[Predicate::QuotaLeft],
        );
        check(
            |seen| {
                seen.catch_up.skip_older_than = Some(1);
                item(seen).due_at = seen.now.plus(-2);
            },
            &[Predicate::NotTooLate],
        );
        check(|seen| seen.paused = true, &[Predicate::NotPaused]);
    }

    #[test]
    fn a_puzzle_without_a_photo_wants_none() {
        check(|seen| seen.puzzle.as_mut().unwrap().image_url = None, &[]);
    }

    #[test]
    fn a_lease_is_in_the_way_while_somebody_holds_it() {
        let held = scene::seen(CommitKind::Publish).lease;
        check(|seen| seen.lease = held.clone(), &[Predicate::LeaseOwner]);
        for (fence, expired) in [(Fence::FIRST, true), (Fence::new(4), true), (Fence::FIRST, false)] {
            check(
                |seen| {
                    let expires_at = seen.now.plus(i64::from(!expired));
                    seen.lease = held.clone().map(|row| lease::LeaseRow { fence, expires_at, ..row });
                },
                if expired { &[] } else { &[Predicate::LeaseOwner] },
            );
        }
    }

    #[test]
    fn a_page_that_should_not_be_there_is_in_the_way() {
        let page = scene::seen(CommitKind::Update).page;
        check(|seen| seen.page = page, &[Predicate::ContentVersion]);
    }

    #[test]
    fn nobody_would_publish_what_is_out_or_was_taken_back_or_is_unknown() {
        for state in [ItemState::Published, ItemState::Withdrawn] {
            let mut seen = free();
            item(&mut seen).state = state;
            assert_eq!((seen.outlook(10), seen.not_taken()), (Vec::new(), (Outcome::Unchanged, None)));
        }
        let unknown = Preflight { item: None, puzzle: None, ..free() };
        assert_eq!((unknown.outlook(10), unknown.not_taken()), (Vec::new(), (Outcome::Unchanged, None)));
    }

    #[test]
    fn whoever_could_not_take_an_item_learns_what_kept_it_away() {
        let mut seen = free();
        assert_eq!(seen.not_taken(), (Outcome::LeaseHeld, Some(Predicate::LeaseOwner)));
        let mut late = seen.clone();
        late.catch_up.skip_older_than = Some(1);
        late.now = late.now.plus(2);
        assert_eq!(late.not_taken(), (Outcome::Blocked, Some(Predicate::NotTooLate)));
        item(&mut seen).next_attempt_at = seen.now.plus(LONGEST_WAIT_MS);
        assert_eq!(seen.not_taken(), (Outcome::NotDue, None));
        item(&mut seen).due_at = seen.now.plus(1);
        assert_eq!(seen.not_taken(), (Outcome::NotDue, Some(Predicate::ItemDue)));
        item(&mut seen).state = ItemState::Blocked;
        assert_eq!(seen.not_taken(), (Outcome::Blocked, Some(Predicate::ItemState)));
    }
}
