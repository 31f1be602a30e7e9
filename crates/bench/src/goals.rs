//! What the figures have to come out at.
//!
//! A goal is a figure, or a ratio of two from the same run, and a bound. Those that hold a
//! promise of the documentation are here; everything else is only told.

use crate::figures::Part;

/// On which side of the bound a value has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Bound {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::AtMost(bound) => value <= bound,
        }
    }
}

/// What has to come out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    part: &'static str,
    case: &'static str,
    unit: &'static str,
    subject: &'static str,
    /// Beside which case and which subject; `None` for the figure itself.
    beside: Option<(&'static str, &'static str)>,
    bound: Bound,
}

/// A figure of a part itself.
const fn own(part: &'static str, case: &'static str, unit: &'static str, bound: Bound) -> Goal {
    Goal { part, case, unit, subject: "fencepost", beside: None, bound }
}

/// A figure of the Worker itself.
const fn worker(case: &'static str, unit: &'static str, most: f64) -> Goal {
    Goal { part: "worker", case, unit, subject: "worker", beside: None, bound: Bound::AtMost(most) }
}

/// A figure of a part, beside that of another subject in the same case.
const fn beside(
    part: &'static str,
    case: &'static str,
    unit: &'static str,
    other: &'static str,
    bound: Bound,
) -> Goal {
    Goal { beside: Some((case, other)), ..own(part, case, unit, bound) }
}

/// A figure of a part, beside the product's own in another case.
const fn as_in(
    part: &'static str,
    case: &'static str,
    unit: &'static str,
    other_case: &'static str,
    bound: Bound,
) -> Goal {
    Goal { beside: Some((other_case, "fencepost")), ..own(part, case, unit, bound) }
}

/// Steps on a site of a million, beside those on one of ten: the very same.
const fn same_steps(case: &'static str, other_case: &'static str) -> Goal {
    as_in(GROWTH, case, "VM steps", other_case, Bound::AtMost(1.0))
}

/// Something done so many times a second on a site of a million, beside one of ten.
const fn as_often(case: &'static str, unit: &'static str, other_case: &'static str) -> Goal {
    as_in(PUBLISHING, case, unit, other_case, Bound::AtLeast(1.0 / ONCE_AND_A_HALF))
}

/// What a million items may make of a time.
const ONCE_AND_A_HALF: f64 = 1.5;

const SERVING: &str = "serving";
const PUBLISHING: &str = "publishing";
const GROWTH: &str = "growth";

const HIT: &str = "answer hit, 32 connections";

/// All goals.
pub(crate) const GOALS: &[Goal] = &[
    beside(SERVING, HIT, "requests/s", "axum with the read", Bound::AtLeast(0.85)),
    beside(SERVING, HIT, "requests/s", "axum", Bound::AtLeast(0.6)),
    beside(SERVING, HIT, "requests/s", "nginx, from its cache", Bound::AtLeast(0.7)),
    beside(SERVING, HIT, "ms p99", "axum with the read", Bound::AtMost(2.0)),
    own(SERVING, "memory of hits", "MB at its highest", Bound::AtMost(64.0)),
    own(SERVING, "memory of misses", "MB at its highest", Bound::AtMost(64.0)),
    own(SERVING, "start to first answer", "ms", Bound::AtMost(150.0)),
    beside(PUBLISHING, "commit batch, FULL, 10 items", "batches/s", "raw SQLite", Bound::AtLeast(0.75)),
    beside(PUBLISHING, "commit batch, NORMAL, 10 items", "batches/s", "raw SQLite", Bound::AtLeast(0.4)),
    own(PUBLISHING, "whole use case", "round trips", Bound::AtMost(3.0)),
    as_often("commit batch, FULL, 1,000,000 items", "batches/s", "commit batch, FULL, 10 items"),
    as_often("commit batch, NORMAL, 1,000,000 items", "batches/s", "commit batch, NORMAL, 10 items"),
    as_often("whole use case, FULL, 1,000,000 items", "pages/s", "whole use case, FULL, 10 items"),
    as_in(
        GROWTH,
        "revision read, 1,000,000 items",
        "µs",
        "revision read, 10 items",
        Bound::AtMost(ONCE_AND_A_HALF),
    ),
    same_steps("revision read, 1,000,000 items", "revision read, 10 items"),
    same_steps("claim, 1,000,000 items", "claim, 10 items"),
    same_steps("begin, 1,000,000 items", "begin, 10 items"),
    same_steps("commit batch, 1,000,000 items", "commit batch, 10 items"),
    worker("answer hit", "queries", 1.0),
    worker("answer hit", "rows read", 5.0),
    worker("answer miss", "queries", 2.0),
    worker("page published, photo ready", "calls", 2.0),
    worker("answer hit", "ms cpu", 5.0),
    worker("answer miss", "ms cpu", 7.0),
    // As much as `cargo xtask worker build` lets it weigh.
    worker("size", "kB gzipped", 572.0),
];

/// What came of a goal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Verdict {
    /// The figure, in words.
    pub(crate) what: String,
    /// What it came out at; `None` if it was not measured.
    pub(crate) value: Option<f64>,
    /// What it has to come out at.
    pub(crate) bound: Bound,
}

impl Verdict {
    /// Whether the goal is reached; `None` if that was not measured.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        self.value.map(|value| self.bound.holds(value))
    }
}

impl Goal {
    /// What came of it.
    pub(crate) fn judge(&self, parts: &[Part]) -> Verdict {
        let Self { part, case, unit, subject, beside, bound } = *self;
        let find = |case: &str, subject: &str| {
            let part = parts.iter().find(|it| it.part == part)?;
            part.find(case, subject, unit).map(|figure| figure.value)
        };
        let own = find(case, subject);
        let (what, value) = match beside {
            None => (format!("{case}: {unit}"), own),
            Some((other_case, other)) => {
                let of =
                    if other_case == case { other.to_owned() } else { format!("{other} at {other_case}") };
                let ratio = own.zip(find(other_case, other)).map(|(own, other)| own / other);
                (format!("{case}: {unit} beside {of}"), ratio)
            }
        };
        Verdict { what, value, bound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Samples;

    #[test]
    fn a_goal_is_a_figure_or_a_ratio_and_may_not_have_been_measured() {
        let mut samples = Samples::default();
        samples.add(HIT, "fencepost", "requests/s", 60.0);
        samples.add(HIT, "axum", "requests/s", 100.0);
        samples.add("start to first answer", "fencepost", "ms", 151.0);
        let parts = [samples.into_part(SERVING)];
        let judged = |goal: Goal| {
            let verdict = goal.judge(&parts);
            (verdict.value, verdict.is_reached())
        };
        assert_eq!(
            judged(beside(SERVING, HIT, "requests/s", "axum", Bound::AtLeast(0.6))),
            (Some(0.6), Some(true))
        );
        assert_eq!(
            judged(beside(SERVING, HIT, "requests/s", "axum", Bound::AtLeast(0.7))),
            (Some(0.6), Some(false))
        );
        assert_eq!(judged(beside(SERVING, HIT, "requests/s", "nginx", Bound::AtLeast(0.7))), (None, None));
        assert_eq!(
            judged(own(SERVING, "start to first answer", "ms", Bound::AtMost(150.0))),
            (Some(151.0), Some(false))
        );
    }
}
