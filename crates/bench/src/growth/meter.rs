//! What an operation takes each time it is done.

use std::time::Duration;

use crate::{
    bare::{Bare, Effort},
    figures::{float, median},
    process::timed,
};

/// Collects what each call took. What is done outside of [`Self::time`] does not count.
pub(super) struct Meter<'a> {
    bare: Option<&'a Bare>,
    spans: Vec<Duration>,
    efforts: Vec<Effort>,
}

impl<'a> Meter<'a> {
    /// Tells how long calls take.
    pub(super) fn timing() -> Self {
        Self { bare: None, spans: Vec::new(), efforts: Vec::new() }
    }

    /// Tells how much SQLite does for them.
    pub(super) fn counting(bare: &'a Bare) -> Self {
        Self { bare: Some(bare), ..Self::timing() }
    }

    /// Does something that counts.
    pub(super) async fn time<T, E: Into<anyhow::Error>>(
        &mut self,
        work: impl Future<Output = Result<T, E>>,
    ) -> anyhow::Result<T> {
        self.bare.map(Bare::take_effort);
        let (done, span) = timed(work).await.map_err(Into::into)?;
        self.spans.push(span);
        self.efforts.extend(self.bare.map(Bare::take_effort));
        Ok(done)
    }

    /// How long a call took, in microseconds.
    pub(super) fn time_us(&self) -> f64 {
        middle(self.spans.iter().map(|span| span.as_secs_f64() * 1e6))
    }

    /// How many steps the machine did for a call, and how many rows it scanned.
    pub(super) fn efforts(&self) -> [f64; 2] {
        let of = |of: fn(&Effort) -> i64| middle(self.efforts.iter().map(|it| float(of(it))));
        [of(|effort| effort.steps), of(|effort| effort.scanned)]
    }
}

fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    median(&values)
}
