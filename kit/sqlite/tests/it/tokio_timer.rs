use std::time::Duration;

use fencepost_core::Timer;
use fencepost_sqlite::TokioTimer;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn waiting_takes_the_time_that_was_asked_for() {
    let start = Instant::now();
    TokioTimer.sleep(90_000).await;
    let waited = start.elapsed();
    assert!(
        (Duration::from_millis(90_000)..Duration::from_millis(90_010)).contains(&waited),
        "waited {waited:?}"
    );
}
