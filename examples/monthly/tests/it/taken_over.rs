//! A worker falls asleep, another takes over, and the first wakes up.

use fencepost_batch::faults::{Fate, Faulty};
use fencepost_sqlite::SqliteRunner;

use crate::office::{LATER, Office};

/// Three months of one tenant, and two of another.
pub(crate) const MONTHS: [&str; 5] = ["1/2025-11", "1/2025-12", "1/2026-01", "2/2025-12", "2/2026-01"];

/// An office in which they are to be invoiced.
pub(crate) fn office() -> Office {
    Office::at("2026-02-01T00:00:00.000Z", &[("2025-11", None), ("2025-12", None)])
}

/// Does something on a runner that falls asleep before its call `at`, and wakes up when `meanwhile` has
/// happened.
pub(crate) async fn asleep_at<T>(
    at: u32,
    office: &Office,
    act: impl AsyncFnOnce(Faulty<SqliteRunner>) -> T,
    meanwhile: impl AsyncFnOnce(),
) -> T {
    let (runner, alarm) = Faulty::asleep_at(office.runner().await, at);
    let others = async {
        assert!(alarm.asleep().await, "there was no call {at}");
        meanwhile().await;
        alarm.wake();
    };
    tokio::join!(act(runner), others).0
}

#[tokio::test]
async fn whoever_wakes_up_too_late_writes_nothing() {
    let calls = office().calls().await;
    assert_eq!(calls, 11);
    for at in 1..=calls {
        let office = office();
        let mut done = Vec::new();
        let told = asleep_at(
            at,
            &office,
            async |runner| office.run_on(runner).await.unwrap(),
            async || {
                office.pass_time(LATER);
                office.run().await;
                done = office.lasting();
            },
        );
        let told = told.await;
        office.check(&format!("asleep at call {at} of {calls}"), &MONTHS);
        assert_eq!(office.lasting(), done, "asleep at call {at} of {calls}");
        // What the sleeper says to have invoiced is what it had before it fell asleep.
        let before = usize::try_from(at.saturating_sub(2) / 2).unwrap();
        assert_eq!(told.len(), before, "asleep at call {at} of {calls}");
    }
}

#[tokio::test]
async fn whoever_wakes_up_in_the_middle_of_anothers_work_neither_skips_nor_repeats() {
    let calls = office().calls().await;
    for at in 1..=calls {
        let office = office();
        let sleeper = async |runner| office.run_on(runner).await.unwrap();
        asleep_at(at, &office, sleeper, async || {
            office.pass_time(LATER);
            // The one that takes over falls asleep as well, before its first commit.
            let doomed = Faulty::new(office.runner().await, |call| async move {
                if call.number < 3 { Fate::Answered } else { Fate::LostOnTheWay }
            });
            drop(office.run_on(doomed).await);
        })
        .await;
        office.finish().await;
        office.check(&format!("asleep at call {at} of {calls}"), &MONTHS);
    }
}

/// The fence alone: the sleeper's own lease, which nobody else has taken, would be live again by the
/// clock that is set back.
#[tokio::test]
async fn a_clock_that_is_set_back_gives_no_lease_back() {
    let office = office();
    let first = async |runner| office.invoice(runner, 1, "2025-11").await;
    let told = asleep_at(2, &office, first, async || {
        office.pass_time(LATER);
        let second = async |runner| office.invoice(runner, 1, "2025-11").await;
        asleep_at(2, &office, second, async || office.pass_time(-LATER)).await;
    })
    .await;
    office.check("set back", &["1/2025-11"]);
    let refused = format!("{told:?}");
    assert!(refused.contains("lease_owner") && refused.contains("lease_fence"), "{refused}");
}
