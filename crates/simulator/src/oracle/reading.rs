//! The rules about what is served.
//!
//! While a request is under way, the site changes and time passes. So an answer is held
//! against all that was true at some moment since the request began: every state that the
//! database was in, at every instant that its clock showed. What was true only earlier is
//! stale; what was not true yet is a leak.

use fencepost_domain::image::ImageKey;

use super::{Mark, Oracle, Rule, State, marks, marks::Found, state::Puzzle};
use crate::stats::Stats;

/// What a reader asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Home,
    Answers,
    Answer(i64),
    Feed,
    Sitemap,
    Image(ImageKey),
}

impl Target {
    pub(crate) fn path(&self) -> String {
        match self {
            Self::Home => "/".to_owned(),
            Self::Answers => "/answers".to_owned(),
            Self::Answer(id) => format!("/answers/{id}"),
            Self::Feed => "/feed.xml".to_owned(),
            Self::Sitemap => "/sitemap.xml".to_owned(),
            Self::Image(key) => format!("/images/{key}"),
        }
    }
}

/// An answer that a reader got.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) target: Target,
    pub(crate) status: u16,
    /// Whether it says when to come back.
    pub(crate) retry: bool,
    pub(crate) revision: Option<i64>,
    pub(crate) body: Vec<u8>,
    /// Whether a fault has hit the request.
    pub(crate) troubled: bool,
}

/// The time from the beginning of a request on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    pub(super) from: usize,
    clock: i64,
}

/// What a reader may see of a puzzle at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Unknown,
    /// Not out yet, or late.
    Waiting,
    Withdrawn,
    Public {
        mark: Option<Mark>,
        indexable: bool,
    },
}

impl Oracle {
    /// A request begins.
    pub(crate) fn open_window(&self, clock: i64) -> Window {
        Window { from: self.log.len().saturating_sub(1), clock }
    }

    /// Every state since then.
    pub(super) fn states_since(&self, window: &Window) -> impl Iterator<Item = &State> {
        self.log[window.from..].iter().map(|moment| &*moment.state)
    }

    /// Every state since then, and every stretch of the clock.
    fn moments(&self, window: &Window, now: i64, clock: i64) -> (Vec<&State>, Vec<(i64, i64)>) {
        let log = &self.log[window.from..];
        let ranges = log.iter().enumerate().map(|(at, moment)| {
            let low = if at == 0 { window.clock } else { moment.clock };
            let until = log.get(at + 1).map_or(now, |next| next.at);
            let high = if at + 1 == log.len() { clock } else { until + moment.clock - moment.at };
            (low, high.max(low))
        });
        (self.states_since(window).collect(), ranges.collect())
    }

    /// Judges an answer that has just arrived.
    pub(crate) fn judge_reading(
        &mut self,
        reading: &Reading,
        window: &Window,
        (now, clock): (i64, i64),
        stored: Option<&Vec<u8>>,
        stats: &mut Stats,
    ) {
        stats.readings += 1;
        let (fresh, early) = {
            let (states, ranges) = self.moments(window, now, clock);
            let mut truth = Truth { states, ranges };
            let early = truth.early(reading);
            (truth.stale_for_its_revision(reading, stored), early)
        };
        let told = |problem| format!("GET {}: {}: {problem}", reading.target.path(), reading.status);
        let failed = reading.status >= 500 && !(reading.troubled && reading.status == 503);
        self.check(Rule::LoudOnlyWhenTroubled, stats, !failed, || {
            told(format!("something had failed: {}", reading.troubled))
        });
        self.check(Rule::NothingEarly, stats, early.is_none(), || told(early.unwrap_or_default()));
        self.check(Rule::Fresh, stats, fresh.is_none(), || told(fresh.unwrap_or_default()));
    }
}

/// How many answers the front page lists, the newest first.
const ON_HOME: usize = 6;

/// All that was true at some moment of a request.
struct Truth<'a> {
    states: Vec<&'a State>,
    ranges: Vec<(i64, i64)>,
}

impl Truth<'_> {
    /// All that could be seen of a puzzle.
    fn seen(&self, id: i64) -> Vec<Seen> {
        let mut seen = Vec::new();
        for state in &self.states {
            let Some(puzzle) = state.puzzle(id) else {
                add(&mut seen, Seen::Unknown);
                continue;
            };
            let due_at = state.item(id).map_or(i64::MAX, |item| item.due_at);
            for clock in self.instants([puzzle.opens_at, due_at]) {
                add(&mut seen, seen_at(state, puzzle, due_at, clock));
            }
        }
        seen
    }

    /// The ends of every stretch of the clock, and the boundaries within.
    fn instants(&self, boundaries: [i64; 2]) -> Vec<i64> {
        let mut instants = Vec::with_capacity(4);
        for (low, high) in &self.ranges {
            instants.extend([*low, *high]);
            instants.extend(boundaries.into_iter().filter(|boundary| (low..high).contains(&boundary)));
        }
        instants
    }

    /// Whether the puzzle was open at some moment, under the name with this mark.
    fn was_open_as(&self, mark: Mark) -> bool {
        self.states.iter().any(|state| {
            let named = state.puzzle(mark.puzzle).filter(|puzzle| marks::read(&puzzle.name) == Some(mark));
            named.is_some_and(|puzzle| self.was_open(state, puzzle))
        })
    }

    /// Whether a puzzle as it was in `state` was played at some moment.
    fn was_open(&self, state: &State, puzzle: &Puzzle) -> bool {
        if state.item(puzzle.id).is_none_or(|item| item.state == "withdrawn") {
            return false;
        }
        let opened = |clock| puzzle.opens_at <= clock && clock < puzzle.playable_until;
        self.instants([puzzle.opens_at, puzzle.playable_until]).into_iter().any(opened)
    }

    /// Whether a puzzle was played at every moment, and no other at any.
    fn was_played_alone(&self, id: i64) -> bool {
        self.states.iter().all(|state| {
            let is_withdrawn = state.item(id).is_none_or(|item| item.state == "withdrawn");
            let open = |clock: &i64| {
                state.puzzle(id).is_some_and(|it| it.opens_at <= *clock && *clock < it.playable_until)
            };
            !is_withdrawn
                && self.ranges.iter().all(|(low, high)| open(low) && open(high))
                && !state.puzzles.iter().any(|other| other.id != id && self.was_open(state, other))
        })
    }

    fn was_public_as(&self, mark: Mark) -> bool {
        let shows = |seen: &Seen| matches!(seen, Seen::Public { mark: shown, .. } if *shown == Some(mark));
        self.seen(mark.puzzle).iter().any(shows)
    }

    fn was_public(&self, id: i64) -> bool {
        self.seen(id).iter().any(|seen| matches!(seen, Seen::Public { .. }))
    }

    fn was_indexable(&self, id: i64) -> bool {
        self.seen(id).iter().any(|seen| matches!(seen, Seen::Public { indexable: true, .. }))
    }

    /// A puzzle's answer, or a part of it, that was not public at any moment.
    fn early(&self, reading: &Reading) -> Option<String> {
        if let Target::Image(key) = &reading.target {
            let leaked = reading.status == 200 && !self.may_show(key);
            return leaked.then(|| "nothing public showed it".to_owned());
        }
        let announced = listed_addresses(reading).into_iter().find(|id| !self.was_public(*id));
        if let Some(id) = announced {
            return Some(format!("the answer of puzzle {id} is announced, and was at no moment public"));
        }
        marks::find(&reading.body).into_iter().find_map(|found| {
            let hidden = match found {
                Found::Name(mark) => {
                    let is_played = reading.target == Target::Home && self.was_open_as(mark);
                    !(self.was_public(mark.puzzle)
                        || is_played
                        || self.was_open_on_home(reading, mark.puzzle))
                }
                Found::Secret(mark) => !self.was_public(mark.puzzle),
            };
            hidden.then(|| format!("{found:?} is told, and was at no moment public"))
        })
    }

    /// An old name of an open puzzle on the front page is stale and no leak.
    fn was_open_on_home(&self, reading: &Reading, id: i64) -> bool {
        reading.target == Target::Home
            && self
                .states
                .iter()
                .any(|state| state.puzzle(id).is_some_and(|puzzle| self.was_open(state, puzzle)))
    }

    /// What an answer shows belongs to the revision that it names, and that is one of those
    /// that there were since the request began.
    fn stale_for_its_revision(&mut self, reading: &Reading, stored: Option<&Vec<u8>>) -> Option<String> {
        if reading.status >= 500 {
            return None;
        }
        let Some(revision) = reading.revision else { return Some("it names no revision".to_owned()) };
        let known: Vec<_> = self.states.iter().map(|state| state.revision).collect();
        self.states.retain(|state| state.revision == revision);
        if self.states.is_empty() {
            return Some(format!("revision {revision}, and there were {known:?}"));
        }
        self.stale(reading, stored)
    }

    fn stale(&self, reading: &Reading, stored: Option<&Vec<u8>>) -> Option<String> {
        if let Target::Image(key) = &reading.target {
            let hidden = reading.status == 404 && self.must_show(key);
            let garbled = reading.status == 200 && stored != Some(&reading.body);
            return (hidden || garbled).then(|| format!("hidden {hidden}, garbled {garbled}"));
        }
        let marks = marks::find(&reading.body);
        let old = marks.iter().find(|found| match found {
            Found::Name(mark) => {
                let is_played = reading.target == Target::Home && self.was_open_as(*mark);
                !(self.was_public_as(*mark) || is_played)
            }
            Found::Secret(mark) => !self.was_public_as(*mark),
        });
        if let Some(old) = old {
            return Some(format!("{old:?} is shown, and was not at any moment"));
        }
        let unindexable = listed_addresses(reading).into_iter().find(|id| !self.was_indexable(*id));
        if let Some(id) = unindexable {
            return Some(format!("the answer of puzzle {id} is announced, and was not to be"));
        }
        match &reading.target {
            Target::Answer(id) => self.wrong_status(reading, *id).or_else(|| {
                let tells = |found: &Found| matches!(found, Found::Secret(mark) if mark.puzzle == *id);
                let missing = reading.status == 200 && !marks.iter().any(tells);
                missing.then(|| "the answer is not told".to_owned())
            }),
            target => self.missing(reading, target, &marks),
        }
    }

    fn wrong_status(&self, reading: &Reading, id: i64) -> Option<String> {
        let seen = self.seen(id);
        let fits = |seen: &Seen| match (reading.status, reading.retry) {
            (404, false) => *seen == Seen::Unknown,
            (404, true) => *seen == Seen::Waiting,
            (410, _) => *seen == Seen::Withdrawn,
            (200, _) => matches!(seen, Seen::Public { .. }),
            _ => false,
        };
        (!seen.iter().any(fits)).then(|| format!("it was {seen:?}"))
    }

    /// How many others may have stood before this one, in the order of their days.
    fn newer_than(&self, id: i64) -> usize {
        let opens = |state: &State, id| state.puzzle(id).map(|puzzle| puzzle.opens_at);
        let is_newer = |other: i64| self.states.iter().any(|state| opens(state, other) > opens(state, id));
        let others = self.states.first().map_or(&[] as &[_], |state| &state.puzzles).iter().map(|it| it.id);
        others.filter(|other| self.was_public(*other) && is_newer(*other)).count()
    }

    /// A list that leaves out what was public at every moment.
    fn missing(&self, reading: &Reading, target: &Target, marks: &[Found]) -> Option<String> {
        let ids = self.states.first()?.puzzles.iter().map(|puzzle| puzzle.id);
        let must = |id: &i64| {
            self.seen(*id).iter().all(|seen| match (target, seen) {
                (Target::Sitemap, Seen::Public { indexable, .. }) => *indexable,
                (_, seen) => matches!(seen, Seen::Public { .. }),
            }) && (*target != Target::Home || self.newer_than(*id) < ON_HOME)
        };
        let played = |id: &i64| *target == Target::Home && self.was_played_alone(*id);
        let addresses = listed_addresses(reading);
        let listed = |id: i64| match target {
            Target::Sitemap => addresses.contains(&id),
            _ => marks.iter().any(|found| matches!(found, Found::Name(mark) if mark.puzzle == id)),
        };
        ids.filter(|id| must(id) || played(id))
            .find(|id| !listed(*id))
            .map(|id| format!("puzzle {id} was to be seen and is left out"))
    }

    fn may_show(&self, key: &ImageKey) -> bool {
        let key = key.as_str();
        self.states.iter().any(|state| {
            let of_page = |id: i64| state.page(id).and_then(|page| page.image_key.as_deref()) == Some(key);
            state.puzzles.iter().any(|puzzle| {
                (state.ready_photo(puzzle) == Some(key) && self.was_open(state, puzzle))
                    || (of_page(puzzle.id) && self.was_public(puzzle.id))
            })
        })
    }

    fn must_show(&self, key: &ImageKey) -> bool {
        let key = Some(key.as_str());
        let Some(first) = self.states.first() else { return false };
        first.pages.iter().any(|page| {
            let always = self
                .states
                .iter()
                .all(|state| state.page(page.id).is_some_and(|page| page.image_key.as_deref() == key));
            always && self.seen(page.id).iter().all(|seen| matches!(seen, Seen::Public { .. }))
        })
    }
}

/// The answers whose addresses a sitemap has.
fn listed_addresses(reading: &Reading) -> Vec<i64> {
    if reading.target != Target::Sitemap || reading.status != 200 {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&reading.body);
    let ends = text.split("/answers/").skip(1);
    ends.filter_map(|rest| rest.split('<').next()?.parse().ok()).collect()
}

fn add(to: &mut Vec<Seen>, seen: Seen) {
    if !to.contains(&seen) {
        to.push(seen);
    }
}

fn seen_at(state: &State, puzzle: &Puzzle, due_at: i64, clock: i64) -> Seen {
    let (page, item) = (state.page(puzzle.id), state.item(puzzle.id));
    let taken_back = page.is_none() && item.is_some_and(|item| item.state == "withdrawn");
    if puzzle.opens_at > clock || taken_back {
        return Seen::Unknown;
    }
    match page {
        _ if due_at > clock => Seen::Waiting,
        None => Seen::Waiting,
        Some(page) if page.withdrawn => Seen::Withdrawn,
        Some(page) => Seen::Public { mark: marks::read(&page.name), indexable: page.indexable },
    }
}
