//! The invoice run as a Worker on D1, woken by its crons.

use fencepost_batch::{Metered, StoreClock};
use fencepost_core::{RandomTokens, StoreCounts, budget::Budget, retry::Patience};
use fencepost_d1::{D1Runner, WorkerTimer};
use worker::{Env, ScheduleContext, ScheduledEvent, event};

use crate::Invoicing;

#[event(scheduled)]
async fn scheduled(_: ScheduledEvent, env: Env, _: ScheduleContext) {
    run(&env).await.unwrap_or_else(|problem| worker::console_error!("the next run goes on: {problem}"));
}

async fn run(env: &Env) -> Result<(), Box<dyn std::error::Error>> {
    let months = env.var("CATCH_UP_MONTHS")?.to_string().parse()?;
    let runner = D1Runner::new(env.d1("DB")?, StoreClock::Database, StoreCounts::default());
    let patience = Patience { timer: &WorkerTimer, tokens: &RandomTokens };
    // As many queries as an invocation may make on the paid plan. On the free one, it is 50.
    let runner = Metered::new(runner, Budget::of(1_000)).keeping_a_release();
    for (tenant, month) in Invoicing::new(runner, patience, months).run().await? {
        worker::console_log!("tenant {tenant} is invoiced for {month}");
    }
    Ok(())
}
