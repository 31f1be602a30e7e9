//! The log: one JSON object per line, through the console.
//!
//! The platform takes what the console prints, puts the time to it, and searches JSON by
//! its fields. So lines carry no time of their own, and each goes to the method of the
//! console that belongs to its level.
//!
//! This is a subscriber of its own and not one of the well-known crate, whose registry of
//! spans is made for many threads and for layers upon layers. This program opens no spans,
//! a Worker has one thread, and its size counts.

use std::{
    fmt::{Debug, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use serde_json::{Map, Value};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    level_filters::LevelFilter,
    span,
};
use worker::{console_error, console_log, console_warn};

/// What is less important than this is not logged.
const LEVEL: LevelFilter = LevelFilter::INFO;

/// Starts logging, and tells panics before they end the instance.
pub(crate) fn start() {
    std::panic::set_hook(Box::new(|info| console_error!("{info}; please report this")));
    static STARTED: AtomicBool = AtomicBool::new(false);
    if !STARTED.swap(true, Ordering::Relaxed) && tracing::subscriber::set_global_default(ConsoleLog).is_err()
    {
        console_error!("something else logs already; this program's lines are lost");
    }
}

/// Writes events to the console.
#[derive(Clone, Copy, Debug)]
struct ConsoleLog;

impl Subscriber for ConsoleLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= LEVEL
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LEVEL)
    }

    fn event(&self, event: &Event<'_>) {
        let line = line(event);
        match *event.metadata().level() {
            Level::ERROR => console_error!("{line}"),
            Level::WARN => console_warn!("{line}"),
            _ => console_log!("{line}"),
        }
    }

    // Spans are not enabled, so nobody asks for any of these.

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// An event as a JSON object: its fields, its level, and where it comes from.
fn line(event: &Event<'_>) -> String {
    let metadata = event.metadata();
    let mut fields = Fields(Map::new());
    event.record(&mut fields);
    let Fields(mut fields) = fields;
    fields.insert("level".to_owned(), metadata.level().as_str().into());
    fields.insert("target".to_owned(), metadata.target().into());
    serde_json::to_string(&fields).expect("fields are plain data with text keys")
}

struct Fields(Map<String, Value>);

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = String::new();
        write!(text, "{value:?}").expect("writing to a string cannot fail");
        self.put(field, text);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Keeps the lines that the console would get.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<String>>>);

    impl Subscriber for Kept {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            ConsoleLog.enabled(metadata)
        }

        fn event(&self, event: &Event<'_>) {
            self.0.lock().unwrap().push(line(event));
        }

        fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
            ConsoleLog.new_span(attributes)
        }

        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

        fn enter(&self, _: &span::Id) {}

        fn exit(&self, _: &span::Id) {}
    }

    #[test]
    fn an_event_is_one_line_of_json_with_its_fields() {
        let kept = Kept::default();
        tracing::subscriber::with_default(kept.clone(), || {
            let _span = tracing::error_span!("nobody asks").entered();
            tracing::info!(target: "here", puzzle = %1121, revision = 7, share = 0.5, done = true, job = "publish", "it is\n\"out\"");
            tracing::warn!(target: "here", error = ?Some("lost"), "no");
            tracing::debug!("not this one");
        });
        assert_eq!(
            *kept.0.lock().unwrap(),
            [
                r#"{"done":true,"job":"publish","level":"INFO","message":"it is\n\"out\"","puzzle":"1121","revision":7,"share":0.5,"target":"here"}"#,
                r#"{"error":"Some(\"lost\")","level":"WARN","message":"no","target":"here"}"#,
            ]
        );
    }
}
