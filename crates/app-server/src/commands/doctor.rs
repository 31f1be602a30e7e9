//! `doctor`: whether the deployment is as it should be.
//!
//! It looks at the database in use and leaves it as it is: one that wants migrations is not
//! migrated, but reported. What a reader gets at the public address is asked from here and not
//! by the site itself: what a server or a Worker gets at its own address is not what others get.

use std::{process::ExitCode, time::Duration};

use fencepost_adapter_http::{AdminToken, Secret};
use fencepost_adapter_native::operator_client;
use fencepost_application::{Check, CheckStatus, Setup, TokenStrength};
use reqwest::header::HeaderMap;
use serde::Serialize;

use crate::{
    compose,
    failure::Failure,
    options::{CommonOptions, DoctorOptions},
    output::{print, print_json},
};

/// How long the public address may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was found.
#[derive(Debug, Serialize)]
struct Diagnosis {
    ok: bool,
    checks: Vec<Check>,
}

/// Looks the deployment over. The exit code is 1 if anything failed.
pub(crate) async fn doctor(common: &CommonOptions, options: &DoctorOptions) -> Result<ExitCode, Failure> {
    let places = common.places(false);
    compose::require(&places.database)?;
    let mut checks = match compose::inspect(common, &places.database, &places).await {
        Ok((composed, _)) => {
            let checks = composed.site.doctor(&setup(options)).await;
            composed.store.runner().close().await;
            checks
        }
        Err(failure) => vec![Check::failure(
            "schema",
            failure.message(),
            "Start the server of this version, which applies its migrations; if the database is newer, run the newer version.",
        )],
    };
    if let Some(token) = options.admin_token.as_deref().filter(|token| AdminToken::new(token).is_err()) {
        let found = format!(
            "The admin token of {} characters is not one word of visible ASCII characters.",
            token.len()
        );
        replace(
            &mut checks,
            Check::failure(
                "admin_token",
                found,
                "Set FENCEPOST_ADMIN_TOKEN to 32 random hexadecimal digits.",
            ),
        );
    }
    if options.secret.as_deref().is_some_and(|secret| Secret::new(secret).is_err()) {
        let found = "The secret cannot be used: it is not one word of at least 32 visible ASCII characters.";
        replace(
            &mut checks,
            Check::failure("secret", found, "Set FENCEPOST_SECRET to 32 or more random hexadecimal digits."),
        );
    }
    if let Some(offset_ms) = common.test_clock_offset_ms {
        let found = format!("The database's clock is shifted by {offset_ms} ms, for tests.");
        replace(&mut checks, Check::warning("clock", found, "Unset FENCEPOST_TEST_CLOCK_OFFSET_MS."));
    }
    if let Some(origin) = &options.origin {
        checks.push(front_cache(origin).await);
    }
    let ok = checks.iter().all(|check| check.status != CheckStatus::Failure);
    if options.json {
        print_json(&Diagnosis { ok, checks })?;
    } else {
        print(&words(&checks))?;
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn setup(options: &DoctorOptions) -> Setup {
    let token = options.admin_token.as_deref().and_then(|text| AdminToken::new(text).ok());
    Setup {
        admin_token: match token {
            None => TokenStrength::Missing,
            Some(token) if token.is_weak() => TokenStrength::Weak,
            Some(_) => TokenStrength::Strong,
        },
        has_secret: options.secret.is_some(),
        origin: options.origin.clone(),
        host_now: None,
        cache_host: None,
        asks_photo_hosts: options.photos,
    }
}

/// Puts a finding into the place of that of the same check.
fn replace(checks: &mut Vec<Check>, check: Check) {
    checks.retain(|it| it.name != check.name);
    checks.push(check);
}

/// Asks for a page twice, as a reader would.
async fn front_cache(origin: &str) -> Check {
    const NAME: &str = "front_cache";
    let client = operator_client(PATIENCE);
    let page = format!("{origin}/answers");
    let mut answers = Vec::new();
    for _ in 0..2 {
        match client.get(&page).send().await {
            Ok(answer) => answers.push(answer.headers().clone()),
            Err(error) => {
                return Check::warning(
                    NAME,
                    format!("{page} could not be asked: {error}."),
                    "Look whether the site runs and its address is right.",
                );
            }
        }
    }
    match answers.iter().find_map(stored_by) {
        Some(header) => Check::failure(
            NAME,
            format!("A cache in front of {origin} answers for the site ({header})."),
            "Turn it off, or let it pass pages through: a page that was taken back stays in it.",
        ),
        None => Check::ok(NAME, format!("No cache in front of {origin} answers for the site.")),
    }
}

/// The header that tells that an answer was kept by somebody on the way.
fn stored_by(headers: &HeaderMap) -> Option<String> {
    let value = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(age) = value("age") {
        return Some(format!("Age: {age}"));
    }
    let status = value("cf-cache-status")?;
    ["HIT", "STALE", "UPDATING"].contains(&status).then(|| format!("CF-Cache-Status: {status}"))
}

fn words(checks: &[Check]) -> String {
    let words = |check: &Check| {
        let remedy = check.remedy.as_ref().map(|remedy| format!("         {remedy}\n")).unwrap_or_default();
        format!("{:<8} {}: {}\n{remedy}", check.status.as_str(), check.name, check.found)
    };
    checks.iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_gives_itself_away() {
        let check = |header: Option<(&'static str, &str)>, told: bool| {
            let headers =
                header.into_iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            assert_eq!(stored_by(&headers.collect()).is_some(), told, "{header:?}");
        };
        check(None, false);
        check(Some(("age", "0")), true);
        check(Some(("cf-cache-status", "HIT")), true);
        check(Some(("cf-cache-status", "STALE")), true);
        check(Some(("cf-cache-status", "DYNAMIC")), false);
        check(Some(("cf-cache-status", "REVALIDATED")), false);
        check(Some(("cf-cache-status", "BYPASS")), false);
    }
}
