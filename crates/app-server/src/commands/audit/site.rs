//! A running site, asked over the network, and what time it is there.

use std::{error::Error, time::Duration};

use async_trait::async_trait;
use fencepost_adapter_native::operator_client;
use fencepost_audit::{Answer, Ask, AskError, Question, Window};
use fencepost_domain::time::UnixMillis;
use reqwest::{Client, Method};
use serde_json::Value;
use tokio::time::Instant;

use crate::failure::Failure;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How often a request is sent until it has an answer.
const TRIES: usize = 3;
/// How long the audit waits before it asks again after it has asked too often.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How often the site is asked what time it is.
const SAMPLES: usize = 5;

/// A site, and the way to it.
pub(super) struct Site {
    client: Client,
    base: String,
    token: Option<String>,
    clock: Clock,
}

/// The site's clock, as far as it can be told from here.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// When this was true, here.
    at: Instant,
    /// What it showed then, at the earliest and at the latest.
    shown: Window,
}

impl Clock {
    /// What it shows between two moments of here.
    fn between(self, from: Instant, until: Instant) -> Window {
        let moved = |instant: UnixMillis, to: Instant| match to.checked_duration_since(self.at) {
            Some(later) => instant.plus(millis(later)),
            None => instant.plus(-millis(self.at.duration_since(to))),
        };
        Window { from: moved(self.shown.from, from), until: moved(self.shown.until, until) }
    }

    /// The clock with the doubts of all samples: two reads of one store can be half a second
    /// apart.
    fn of(samples: &[Self]) -> Self {
        let at = samples.iter().map(|sample| sample.at).max().unwrap_or_else(Instant::now);
        let shown: Vec<_> = samples.iter().map(|sample| sample.between(at, at)).collect();
        let zero = UnixMillis::new(0);
        let from = shown.iter().map(|window| window.from).min().unwrap_or(zero);
        let until = shown.iter().map(|window| window.until).max().unwrap_or(zero);
        Self { at, shown: Window { from, until } }
    }
}

impl Site {
    /// Asks the site what time it is: its admin API, or else its `Date` header, which knows
    /// nothing of a shifted clock and is told by how much.
    pub(super) async fn reach(base: &str, token: Option<&str>, offset_ms: i64) -> Result<Self, Failure> {
        // No question about the time depends on it.
        let clock = Clock::of(&[]);
        let (base, token) = (base.to_owned(), token.map(str::to_owned));
        let mut site = Self { client: operator_client(TIMEOUT), base, token, clock };
        // The first answer takes a connection as well, and would tell the time less well.
        site.sample(offset_ms).await?;
        let mut samples = Vec::new();
        for _ in 0..SAMPLES {
            samples.push(site.sample(offset_ms).await?);
        }
        site.clock = Clock::of(&samples);
        Ok(site)
    }

    async fn sample(&self, offset_ms: i64) -> Result<Clock, Failure> {
        let path = if self.has_token() { "/admin/api/status" } else { "/healthz" };
        let question = Question::new("GET", path);
        let asked = Instant::now();
        let answer = self.ask(&Question { as_operator: self.has_token(), ..question }).await;
        let answer = answer.map_err(Failure::fault)?;
        let answered = Instant::now();
        let told = if self.has_token() { told_by_api(&answer)? } else { told_by_date(&answer, offset_ms)? };
        // Durations lose what is less than a millisecond, here and when the clock is read.
        let took = millis(answered.duration_since(asked)) + 2;
        let shown = Window { from: told.from, until: told.until.plus(took) };
        Ok(Clock { at: answered, shown })
    }

    async fn try_ask(&self, question: &Question) -> Result<Answer, reqwest::Error> {
        let method = Method::from_bytes(question.method.as_bytes()).expect("the audit asks by known methods");
        let mut request = self.client.request(method, format!("{}{}", self.base, question.path));
        for (name, value) in &question.headers {
            request = request.header(*name, value);
        }
        if let Some(token) = self.token.as_ref().filter(|_| question.as_operator) {
            request = request.bearer_auth(token);
        }
        if let Some(body) = &question.body {
            request = request.body(body.clone());
        }
        let asked = Instant::now();
        let response = request.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().iter();
        let headers = headers
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let body = response.bytes().await?.to_vec();
        Ok(Answer { status, headers, body, window: self.clock.between(asked, Instant::now()) })
    }

    /// Where the time of the site is known from, for people.
    pub(super) const fn source_of_time(&self) -> &'static str {
        if self.token.is_some() { "the admin API" } else { "the Date header" }
    }

    /// What the site's clock shows now.
    pub(super) fn now(&self) -> Window {
        let now = Instant::now();
        self.clock.between(now, now)
    }

    /// Waits until the site's clock shows this, at the latest.
    pub(super) async fn wait_until(&self, instant: UnixMillis) {
        let ms = instant.since(self.now().from);
        tokio::time::sleep(Duration::from_millis(u64::try_from(ms).unwrap_or(0))).await;
    }
}

/// How long the site wants its client to wait, if the audit has asked too often to be
/// answered.
fn is_to_wait(answer: &Answer) -> Option<Duration> {
    let seconds = answer.header("retry-after").and_then(|seconds| seconds.parse().ok());
    (answer.status == 429).then(|| Duration::from_secs(seconds.unwrap_or(1)).min(LONGEST_WAIT))
}

#[async_trait]
impl Ask for Site {
    async fn ask(&self, question: &Question) -> Result<Answer, AskError> {
        let mut outcome = self.try_ask(question).await;
        while let Some(wait) = outcome.as_ref().ok().and_then(is_to_wait) {
            tokio::time::sleep(wait).await;
            outcome = self.try_ask(question).await;
        }
        // A server may close a connection between two requests, and mostly does so after a body
        // that it did not want.
        for _ in 1..TRIES {
            if outcome.is_ok() {
                break;
            }
            outcome = self.try_ask(question).await;
        }
        outcome.map_err(|error| {
            AskError(format!(
                "{} {}{} gave no answer: {}; check that the site is up",
                question.method,
                self.base,
                question.path,
                root_cause(&error)
            ))
        })
    }

    fn has_token(&self) -> bool {
        self.token.is_some()
    }
}

fn root_cause(error: &reqwest::Error) -> &dyn Error {
    let mut cause: &dyn Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause
}

fn told_by_api(answer: &Answer) -> Result<Window, Failure> {
    let status: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let now = status["now"].as_i64().map(UnixMillis::new).ok_or_else(|| {
        Failure::fault(format!(
            "the admin API did not tell its clock: GET /admin/api/status was answered with {}; \
             check --base and --admin-token",
            answer.status
        ))
    })?;
    Ok(Window { from: now, until: now })
}

fn told_by_date(answer: &Answer, offset_ms: i64) -> Result<Window, Failure> {
    /// The header counts in seconds, and some servers make it ready beforehand.
    const COARSE_MS: i64 = 1_500;
    let second = answer.header("date").and_then(instant_of).ok_or_else(|| {
        Failure::fault(
            "the site sends no Date header; give --admin-token, so that its admin API tells the time",
        )
    })?;
    let from = second.plus(offset_ms);
    Ok(Window { from, until: from.plus(COARSE_MS) })
}

/// The instant of a `Date` header, such as `Sun, 29 Nov 2026 00:10:00 GMT`.
fn instant_of(date: &str) -> Option<UnixMillis> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let [_, day, month, year, time, "GMT"] = date.split(' ').collect::<Vec<_>>()[..] else { return None };
    let month = MONTHS.iter().position(|known| *known == month)? + 1;
    format!("{year}-{month:02}-{day}T{time}Z").parse().ok()
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_header_is_an_instant() {
        let instant = instant_of("Sun, 29 Nov 2026 00:10:00 GMT").unwrap();
        assert_eq!(instant.to_string(), "2026-11-29T00:10:00Z");
        for date in ["", "2026-11-29", "Sun, 29 Nov 2026 00:10:00 CET", "Sun, 29 Nix 2026 00:10:00 GMT"] {
            assert_eq!(instant_of(date), None, "{date}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_is_from_a_stretch_that_holds_every_doubt() {
        let at = Instant::now();
        let shown = Window { from: UnixMillis::new(1_000), until: UnixMillis::new(1_040) };
        let clock = Clock { at, shown };
        let later = |ms| at + Duration::from_millis(ms);
        let window = clock.between(later(500), later(530));
        assert_eq!((window.from.get(), window.until.get()), (1_500, 1_570));

        let behind = Window { from: UnixMillis::new(1_200), until: UnixMillis::new(1_210) };
        let both = Clock::of(&[clock, Clock { at: later(500), shown: behind }]);
        assert_eq!((both.at, both.shown.from.get(), both.shown.until.get()), (later(500), 1_200, 1_540));
    }
}
