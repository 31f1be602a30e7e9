//! What people are warned of in the log.

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};

/// Collects the messages of warnings, or another field of theirs.
#[derive(Clone)]
pub(crate) struct Warnings {
    field: &'static str,
    values: Arc<Mutex<Vec<String>>>,
}

impl Default for Warnings {
    fn default() -> Self {
        Self::of_field("message")
    }
}

impl Warnings {
    /// Collects a field of warnings, of those that have it.
    pub(crate) fn of_field(field: &'static str) -> Self {
        Self { field, values: Arc::default() }
    }

    /// Listens to this thread until the guard is dropped.
    pub(crate) fn listen(&self) -> DefaultGuard {
        tracing::subscriber::set_default(self.clone())
    }

    /// What was warned of since this was asked last.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.values.lock().unwrap())
    }
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Collected(self));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Collected<'a>(&'a Warnings);

impl Visit for Collected<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == self.0.field {
            self.0.values.lock().unwrap().push(format!("{value:?}"));
        }
    }
}
