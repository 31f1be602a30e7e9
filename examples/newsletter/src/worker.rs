//! The newsletter as a Worker on D1, woken by its cron.

use fencepost_batch::{Metered, StoreClock};
use fencepost_core::{RandomTokens, StoreCounts, budget::Budget, retry::Patience};
use fencepost_d1::{D1Runner, WorkerTimer};
use worker::{Env, Fetch, Headers, Method, Request, RequestInit, ScheduleContext, ScheduledEvent, event};

use crate::{MailService, Newsletter};

#[event(scheduled)]
async fn scheduled(_: ScheduledEvent, env: Env, _: ScheduleContext) {
    run(&env).await.unwrap_or_else(|problem| worker::console_error!("the next run goes on: {problem}"));
}

async fn run(env: &Env) -> Result<(), Box<dyn std::error::Error>> {
    let service = Api(env.var("MAIL_URL")?.to_string(), env.secret("MAIL_TOKEN")?.to_string());
    let runner = D1Runner::new(env.d1("DB")?, StoreClock::Database, StoreCounts::default());
    let patience = Patience { timer: &WorkerTimer, tokens: &RandomTokens };
    let runner = Metered::new(runner, Budget::of(1_000)).keeping_a_release(); // On the free plan, it is 50.
    Ok(Newsletter::new(runner, patience, service).run().await?)
}

/// A mail service that is asked over HTTP: its address, and the token that it wants.
struct Api(String, String);

impl MailService for Api {
    #[worker::send]
    async fn send(&self, key: &str, mail: &str) -> Result<(), Box<dyn std::error::Error>> {
        let headers = Headers::new();
        headers.set("authorization", &format!("Bearer {}", self.1))?;
        headers.set("content-type", "application/json")?;
        headers.set("idempotency-key", key)?;
        let mut request = RequestInit::new();
        request.with_method(Method::Post).with_headers(headers).with_body(Some(mail.into()));
        let status = Fetch::Request(Request::new_with_init(&self.0, &request)?).send().await?.status_code();
        if (200..300).contains(&status) { Ok(()) } else { Err(format!("it answered {status}").into()) }
    }
}
