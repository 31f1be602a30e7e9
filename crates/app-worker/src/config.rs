//! The settings: the Worker's variables and secrets, named as the server's environment.
//!
//! They are read with every event, because a Worker has no start at which a wrong one
//! could be refused. So a wrong one fails every request, loudly and naming itself in the
//! log, instead of running the site on a guess: a lease of a length that nobody wanted,
//! or a clock that was shifted in production, would publish at the wrong time.

use std::str::FromStr;

use fencepost_adapter_http::{
    AdminToken, BUILD_VERSION, InvalidWebhook, Secret, WebhookSettings, environment, instance, origin,
};
use fencepost_application::{Settings, cost::LEAST_BUDGET};
use fencepost_domain::{
    lease::MAX_LEASE_MS, puzzle::MAX_GRACE_MS, quota::MAX_DAILY_QUOTA, retention::MAX_KEEP_DAYS,
};
use fencepost_plan_store::StoreClock;
use fencepost_ports::Budget;
use js_sys::Reflect;
use wasm_bindgen::JsValue;
use worker::Env;

use crate::overdue::FOR_THE_READER;

/// How many calls an invocation may make on the free plan of the platform.
const FREE_PLAN: u32 = 50;
/// How many queries on the paid plan.
const PAID_PLAN: u32 = 1_000;
/// The fewest with which a reader's request can publish what the crons have left.
const FEWEST: u32 = LEAST_BUDGET + FOR_THE_READER;

/// What an operator has configured.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) settings: Settings,
    pub(crate) environment: String,
    pub(crate) origin: Option<String>,
    /// Below which origin the cache keeps its entries, if not that of the request.
    pub(crate) cache_origin: Option<String>,
    pub(crate) admin_token: Option<AdminToken>,
    pub(crate) secret: Option<Secret>,
    pub(crate) webhook: Option<WebhookSettings>,
    pub(crate) test_clock_offset_ms: Option<i64>,
    pub(crate) allow_private_images: bool,
    pub(crate) query_budget: u32,
}

/// A setting that makes no sense, or a binding that is missing. Names it, and never shows
/// a value that may be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Worker is not set up: {0}")]
pub(crate) struct Misconfigured(pub(crate) String);

impl Config {
    /// The settings of a deployment.
    pub(crate) fn of(env: &Env) -> Result<Self, Misconfigured> {
        Self::read(|name| variable(env, name))
    }

    /// The settings of whatever looks names up.
    fn read(lookup: impl Fn(&str) -> Result<Option<String>, Misconfigured>) -> Result<Self, Misconfigured> {
        let read = Reader(lookup);
        let defaults = Settings::default();
        let environment = read.one("FENCEPOST_ENVIRONMENT", environment)?;
        let environment = environment.unwrap_or_else(|| "development".to_owned());
        let seconds = |name, low, max_ms: i64| read.one(name, |text| number(text, low, max_ms / 1_000));
        let longest = StoreClock::LONGEST_SHIFT_MS;
        let test_clock_offset_ms =
            read.one("FENCEPOST_TEST_CLOCK_OFFSET_MS", |text| number(text, -longest, longest))?;
        if environment == "production" && test_clock_offset_ms.is_some() {
            return Err(Misconfigured(
                "FENCEPOST_ENVIRONMENT is production, whose clock must not be shifted; \
                 remove FENCEPOST_TEST_CLOCK_OFFSET_MS, or choose another environment"
                    .to_owned(),
            ));
        }
        let secret =
            read.one("FENCEPOST_SECRET", |text| Secret::new(text).map_err(|error| error.to_string()))?;
        Ok(Self {
            settings: Settings {
                instance: read
                    .one("FENCEPOST_INSTANCE", instance)?
                    .unwrap_or_else(|| format!("worker-{BUILD_VERSION}")),
                build: BUILD_VERSION.to_owned(),
                grace_ms: seconds("FENCEPOST_GRACE_SECONDS", 0, MAX_GRACE_MS)?
                    .map_or(defaults.grace_ms, |seconds| seconds * 1_000),
                lease_ms: seconds("FENCEPOST_LEASE_SECONDS", 1, MAX_LEASE_MS)?
                    .map_or(defaults.lease_ms, |seconds| seconds * 1_000),
                daily_quota: read
                    .one("FENCEPOST_DAILY_QUOTA", |text| number(text, 0, MAX_DAILY_QUOTA))?
                    .unwrap_or(defaults.daily_quota),
                keep_days: read
                    .one("FENCEPOST_KEEP_RUNS_DAYS", |text| number(text, 0, MAX_KEEP_DAYS))?
                    .unwrap_or(defaults.keep_days),
            },
            environment,
            origin: read.one("FENCEPOST_ORIGIN", origin)?,
            cache_origin: read.one("FENCEPOST_CACHE_ORIGIN", origin)?,
            admin_token: read.one("FENCEPOST_ADMIN_TOKEN", |text| {
                AdminToken::new(text).map_err(|error| error.to_string())
            })?,
            webhook: webhook(&read, secret.as_ref())?,
            secret,
            test_clock_offset_ms,
            allow_private_images: read.one("FENCEPOST_ALLOW_PRIVATE_IMAGES", flag)?.unwrap_or(false),
            query_budget: read.one("FENCEPOST_QUERY_BUDGET", calls)?.unwrap_or(FREE_PLAN),
        })
    }

    /// The calls of one invocation, none of which is made yet.
    pub(crate) fn budget(&self) -> Budget {
        Budget::of(self.query_budget)
    }

    /// Whether this is the site that counts.
    pub(crate) fn is_production(&self) -> bool {
        self.environment == "production"
    }
}

struct Reader<F>(F);

impl<F: Fn(&str) -> Result<Option<String>, Misconfigured>> Reader<F> {
    fn one<T>(
        &self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Misconfigured> {
        let Some(text) = (self.0)(name)? else { return Ok(None) };
        parse(&text).map(Some).map_err(|problem| Misconfigured(format!("{name} cannot be used: {problem}")))
    }
}

/// The receiver of events. As everywhere here, what is empty is not the same as what is not
/// there.
fn webhook<F>(read: &Reader<F>, site: Option<&Secret>) -> Result<Option<WebhookSettings>, Misconfigured>
where
    F: Fn(&str) -> Result<Option<String>, Misconfigured>,
{
    let text = |name| read.one(name, |text| Ok(text.to_owned()));
    let url = text("FENCEPOST_WEBHOOK_URL")?;
    let secret = text("FENCEPOST_WEBHOOK_SECRET")?;
    let events = text("FENCEPOST_WEBHOOK_EVENTS")?;
    let allow_private = read.one("FENCEPOST_ALLOW_PRIVATE_WEBHOOK", flag)?.unwrap_or(false);
    WebhookSettings::read(url.as_deref(), secret.as_deref(), events.as_deref(), allow_private, site).map_err(
        |problem| {
            let name = match problem {
                InvalidWebhook::Url(_) => "FENCEPOST_WEBHOOK_URL",
                InvalidWebhook::NoSecret | InvalidWebhook::Secret(_) | InvalidWebhook::SharedSecret => {
                    "FENCEPOST_WEBHOOK_SECRET"
                }
                InvalidWebhook::Events(_) => "FENCEPOST_WEBHOOK_EVENTS",
            };
            Misconfigured(format!("{name} cannot be used: {problem}"))
        },
    )
}

/// A variable or a secret as text. A configuration file may also hold plain numbers and
/// truth values, which arrive as such.
fn variable(env: &Env, name: &str) -> Result<Option<String>, Misconfigured> {
    let value = Reflect::get(env, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED);
    let text = value
        .as_string()
        .or_else(|| value.as_bool().map(|value| value.to_string()))
        .or_else(|| value.as_f64().map(written));
    if text.is_none() && !value.is_undefined() && !value.is_null() {
        return Err(Misconfigured(format!("{name} is neither a text nor a number")));
    }
    Ok(text)
}

/// A number as the platform writes it. The compiler's own way would bring tables that nothing
/// else of the Worker needs.
fn written(number: f64) -> String {
    js_sys::Object::from(JsValue::from_f64(number)).to_string().into()
}

fn number(text: &str, low: i64, high: i64) -> Result<i64, String> {
    let refuse = || format!("write a whole number from {low} to {high}");
    let number = i64::from_str(text).map_err(|_| refuse())?;
    if (low..=high).contains(&number) { Ok(number) } else { Err(refuse()) }
}

/// How many calls an invocation may make: no fewer than an item with a photo takes, or it
/// would never come out, and no more than the platform allows to anybody.
fn calls(text: &str) -> Result<u32, String> {
    let number = number(text, FEWEST.into(), PAID_PLAN.into())?;
    u32::try_from(number).map_err(|error| error.to_string())
}

fn flag(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| "write true or false".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Config, Misconfigured> {
        Config::read(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            Ok(found.map(|(_, value)| (*value).to_owned()))
        })
    }

    #[test]
    fn a_worker_without_settings_is_a_site_in_development() {
        let config = read(&[]).unwrap();
        assert_eq!(config.environment, "development");
        assert_eq!(config.settings.grace_ms, 600_000);
        assert_eq!(config.settings.lease_ms, 180_000);
        assert_eq!(config.settings.daily_quota, 100);
        assert_eq!(config.query_budget, 50, "as many as the free plan allows");
        assert!(config.origin.is_none() && config.admin_token.is_none() && config.secret.is_none());
        assert!(config.webhook.is_none());
        assert!(!config.allow_private_images);
    }

    #[test]
    fn settings_are_read_like_the_servers() {
        let config = read(&[
            ("FENCEPOST_GRACE_SECONDS", "0"),
            ("FENCEPOST_LEASE_SECONDS", "900"),
            ("FENCEPOST_DAILY_QUOTA", "1000000"),
            ("FENCEPOST_ENVIRONMENT", "staging"),
            ("FENCEPOST_INSTANCE", "site-new"),
            ("FENCEPOST_ORIGIN", "https://prices.example:443/"),
            ("FENCEPOST_ADMIN_TOKEN", "s3cret"),
            ("FENCEPOST_SECRET", "0123456789abcdef0123456789abcdef"),
            ("FENCEPOST_TEST_CLOCK_OFFSET_MS", "-86400000"),
            ("FENCEPOST_ALLOW_PRIVATE_IMAGES", "true"),
            ("FENCEPOST_QUERY_BUDGET", "1000"),
        ])
        .unwrap();
        assert_eq!(config.settings.instance, "site-new");
        assert_eq!((config.query_budget, config.budget().left()), (1_000, Some(1_000)));
        assert_eq!(config.settings.grace_ms, 0);
        assert_eq!(config.settings.lease_ms, 900_000);
        assert_eq!(config.settings.daily_quota, 1_000_000);
        assert_eq!(config.origin.as_deref(), Some("https://prices.example"));
        assert!(config.admin_token.is_some_and(|token| token.matches("s3cret")));
        assert!(config.secret.is_some());
        assert_eq!(config.test_clock_offset_ms, Some(-86_400_000));
        assert!(config.allow_private_images && config.environment == "staging");
    }

    #[test]
    fn a_receiver_of_events_is_told_or_refused_by_the_name_of_what_is_wrong() {
        let url = ("FENCEPOST_WEBHOOK_URL", "https://receiver.example/hook");
        let secret = ("FENCEPOST_WEBHOOK_SECRET", "0123456789abcdef0123456789abcdef");
        let webhook = read(&[url, secret, ("FENCEPOST_WEBHOOK_EVENTS", "withdrawn")]).unwrap().webhook;
        assert!(webhook.is_some_and(|webhook| !webhook.allow_private));
        for (variables, name) in [
            (vec![url], "FENCEPOST_WEBHOOK_SECRET"),
            (vec![url, ("FENCEPOST_WEBHOOK_SECRET", "hunter2")], "FENCEPOST_WEBHOOK_SECRET"),
            (vec![url, secret, ("FENCEPOST_SECRET", secret.1)], "FENCEPOST_WEBHOOK_SECRET"),
            (vec![("FENCEPOST_WEBHOOK_URL", "hunter2"), secret], "FENCEPOST_WEBHOOK_URL"),
            (vec![("FENCEPOST_WEBHOOK_URL", ""), secret], "FENCEPOST_WEBHOOK_URL"),
            (vec![url, secret, ("FENCEPOST_WEBHOOK_EVENTS", "")], "FENCEPOST_WEBHOOK_EVENTS"),
            (vec![url, secret, ("FENCEPOST_ALLOW_PRIVATE_WEBHOOK", "1")], "FENCEPOST_ALLOW_PRIVATE_WEBHOOK"),
        ] {
            let problem = read(&variables).unwrap_err().to_string();
            assert!(problem.contains(name) && !problem.contains("hunter2"), "{problem}");
        }
    }

    #[test]
    fn a_setting_that_cannot_be_is_refused_by_its_name() {
        for (name, values) in [
            ("FENCEPOST_GRACE_SECONDS", vec!["-1", "43201", "ten", "", "1.5"]),
            ("FENCEPOST_LEASE_SECONDS", vec!["0", "901", "1.5"]),
            ("FENCEPOST_DAILY_QUOTA", vec!["-1", "1000001"]),
            ("FENCEPOST_ENVIRONMENT", vec!["Production", "", "a b"]),
            ("FENCEPOST_INSTANCE", vec!["", "a/b"]),
            ("FENCEPOST_ORIGIN", vec!["prices.example", "https://prices.example/x", ""]),
            ("FENCEPOST_CACHE_ORIGIN", vec!["prices.example", ""]),
            ("FENCEPOST_ADMIN_TOKEN", vec!["", "two words"]),
            (
                "FENCEPOST_SECRET",
                vec!["", "0123456789abcdef0123456789abcde", "0123456789abcdef 0123456789abcdef"],
            ),
            (
                "FENCEPOST_TEST_CLOCK_OFFSET_MS",
                vec!["yesterday", "", "3155760000001", "-9223372036854775808"],
            ),
            ("FENCEPOST_ALLOW_PRIVATE_IMAGES", vec!["yes", "1", ""]),
            ("FENCEPOST_QUERY_BUDGET", vec!["0", "41", "1001", "none", ""]),
        ] {
            for value in values {
                let problem = read(&[(name, value)]).unwrap_err().to_string();
                assert!(problem.contains(name), "{problem}");
            }
        }
    }

    #[test]
    fn a_budget_under_which_some_item_would_never_come_out_is_refused() {
        let budget = |calls: u32| read(&[("FENCEPOST_QUERY_BUDGET", &calls.to_string())]);
        assert_eq!(budget(FEWEST).map(|config| config.query_budget), Ok(FEWEST));
        let problem = budget(FEWEST - 1).unwrap_err().to_string();
        assert!(problem.contains("from 42 to 1000"), "{problem}");
    }

    #[test]
    fn a_secret_is_not_told() {
        for name in ["FENCEPOST_ADMIN_TOKEN", "FENCEPOST_SECRET"] {
            let problem = read(&[(name, "hunter2 hunter2")]).unwrap_err().to_string();
            assert!(!problem.contains("hunter2"), "{problem}");
        }
    }

    #[test]
    fn the_clock_of_production_is_not_shifted() {
        let offset = ("FENCEPOST_TEST_CLOCK_OFFSET_MS", "0");
        let problem = read(&[offset, ("FENCEPOST_ENVIRONMENT", "production")]).unwrap_err().to_string();
        assert!(problem.contains("FENCEPOST_TEST_CLOCK_OFFSET_MS"), "{problem}");
        assert!(read(&[offset, ("FENCEPOST_ENVIRONMENT", "staging")]).is_ok());
    }
}
