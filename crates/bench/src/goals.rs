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

/// A figure of the server itself.
const fn own(case: &'static str, unit: &'static str, bound: Bound) -> Goal {
    Goal { part: "serving", case, unit, subject: "fencepost", beside: None, bound }
}

/// The server beside another in the same case.
const fn serving(case: &'static str, unit: &'static str, other: &'static str, bound: Bound) -> Goal {
    Goal { part: "serving", case, unit, subject: "fencepost", beside: Some((case, other)), bound }
}

const HIT: &str = "answer hit, 32 connections";

/// All goals.
pub(crate) const GOALS: &[Goal] = &[
    serving(HIT, "requests/s", "axum with the read", Bound::AtLeast(0.85)),
    serving(HIT, "requests/s", "axum", Bound::AtLeast(0.6)),
    serving(HIT, "requests/s", "nginx, from its cache", Bound::AtLeast(0.7)),
    serving(HIT, "ms p99", "axum with the read", Bound::AtMost(2.0)),
    own("memory of hits", "MB at its highest", Bound::AtMost(64.0)),
    own("memory of misses", "MB at its highest", Bound::AtMost(64.0)),
    own("start to first answer", "ms", Bound::AtMost(150.0)),
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
        let parts = [samples.into_part("serving")];
        let judged = |goal: Goal| {
            let verdict = goal.judge(&parts);
            (verdict.value, verdict.is_reached())
        };
        assert_eq!(judged(serving(HIT, "requests/s", "axum", Bound::AtLeast(0.6))), (Some(0.6), Some(true)));
        assert_eq!(judged(serving(HIT, "requests/s", "axum", Bound::AtLeast(0.7))), (Some(0.6), Some(false)));
        assert_eq!(judged(serving(HIT, "requests/s", "nginx", Bound::AtLeast(0.7))), (None, None));
        assert_eq!(
            judged(own("start to first answer", "ms", Bound::AtMost(150.0))),
            (Some(151.0), Some(false))
        );
    }
}
