//! A runner whose calls get lost or are held up, for tests of what is built on it.
//!
//! Whoever calls a store that is somewhere else sees one and the same error when a call was lost
//! on its way there, and nothing has happened, and when its answer was lost on its way back, and
//! everything has. Or the call is still on its way, and arrives when nobody expects it any more.
//! And a worker may fall asleep before any of its calls. So a test lets each call of a program go
//! wrong in turn, in each way, and expects the same end each time.
//!
//! ```
//! use fencepost_batch::{PlanRunner, Store, faults::{Fate, Faulty}};
//!
//! /// A store that loses the answer to its second call.
//! fn flaky<R: PlanRunner>(runner: R) -> Store<Faulty<R>> {
//!     Store::new(Faulty::new(runner, |call| async move {
//!         if call.number == 2 { Fate::AnswerLost } else { Fate::Answered }
//!     }))
//! }
//! ```
//!
//! A worker that falls asleep gets an [`Alarm`] ([`Faulty::asleep_at`]).

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    task::{Poll, Waker},
};

use async_trait::async_trait;
use fencepost_core::StoreError;

use crate::{Batch, FailingBatch, PlanRunner, Query};

/// A call, as it is told to whoever decides about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which one it is, counted from 1.
    pub number: u32,
    /// What is called: the name of a batch ([`Batch::name`]), of the text of a query, or of the text
    /// with which a rehearsal raises.
    pub plan: &'static str,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is made, and answered.
    Answered,
    /// It never arrives: nothing is done.
    LostOnTheWay,
    /// It is made, and nobody learns of it.
    AnswerLost,
    /// Nobody learns of it, and a batch is still on its way: it is run when the test lets it
    /// [arrive](Faulty::arrive). What keeps nothing, a query or a rehearsal, is lost.
    ArrivesLate,
}

type Deciding = Pin<Box<dyn Future<Output = Fate> + Send>>;

/// Runs plans, and loses calls or holds them up.
pub struct Faulty<R> {
    runner: R,
    decide: Box<dyn Fn(Call) -> Deciding + Send + Sync>,
    calls: AtomicU32,
    on_the_way: Mutex<Vec<Batch<()>>>,
}

impl<R: fmt::Debug> fmt::Debug for Faulty<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faulty")
            .field("runner", &self.runner)
            .field("calls", &self.calls)
            .finish_non_exhaustive()
    }
}

impl<R> Faulty<R> {
    /// Runs plans on `runner`. `decide` is told of each call, and says what becomes of it. The call is
    /// not made before it has said so: it may take its time.
    pub fn new<F>(runner: R, decide: impl Fn(Call) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Fate> + Send + 'static,
    {
        let decide = Box::new(move |call| -> Deciding { Box::pin(decide(call)) });
        Self { runner, decide, calls: AtomicU32::new(0), on_the_way: Mutex::default() }
    }

    /// Runs plans on `runner`, and falls asleep before its call `at`, counted from 1, until the alarm
    /// wakes it up.
    ///
    /// ```
    /// use fencepost_batch::{PlanRunner, faults::Faulty};
    ///
    /// /// Lets another worker do what `work` was about to do with its third call. Both futures are
    /// /// to be run at the same time, as by `tokio::join!`.
    /// fn overtaken<R: PlanRunner, F: Future>(
    ///     runner: R,
    ///     work: impl FnOnce(Faulty<R>) -> F,
    ///     another: impl Future,
    /// ) -> (F, impl Future) {
    ///     let (runner, alarm) = Faulty::asleep_at(runner, 3);
    ///     let meanwhile = async move {
    ///         assert!(alarm.asleep().await, "there was no third call");
    ///         another.await;
    ///         alarm.wake();
    ///     };
    ///     (work(runner), meanwhile)
    /// }
    /// ```
    pub fn asleep_at(runner: R, at: u32) -> (Self, Alarm) {
        let alarm = Alarm(Arc::default());
        let bed = Bed(alarm.clone());
        let sleepy = move |call: Call| {
            let alarm = bed.0.clone();
            async move {
                if call.number == at {
                    alarm.turn(State::Asleep);
                    alarm.reach(State::Awake).await;
                }
                Fate::Answered
            }
        };
        (Self::new(runner, sleepy), alarm)
    }

    /// How many calls there have been.
    pub fn calls(&self) -> u32 {
        self.calls.load(Ordering::SeqCst)
    }

    async fn decided(&self, plan: &'static str) -> (Call, Fate) {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let call = Call { number, plan };
        (call, (self.decide)(call).await)
    }

    async fn carry<T>(
        &self,
        plan: &'static str,
        made: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let (call, fate) = self.decided(plan).await;
        conclude(call, fate, made).await
    }

    fn on_the_way(&self) -> MutexGuard<'_, Vec<Batch<()>>> {
        self.on_the_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: PlanRunner> Faulty<R> {
    /// Lets the batches that [arrive late](Fate::ArrivesLate) arrive now, in the order in which they
    /// were sent, and tells what the store answered to each. Nobody decides about them again, and
    /// they are no further calls.
    pub async fn arrive(&self) -> Vec<Result<(), StoreError>> {
        let arriving = std::mem::take(&mut *self.on_the_way());
        let mut answers = Vec::with_capacity(arriving.len());
        for batch in arriving {
            answers.push(self.runner.batch(batch).await.map(drop));
        }
        answers
    }
}

async fn conclude<T>(
    call: Call,
    fate: Fate,
    made: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let lost = || Err(StoreError::unknown(format!("call {} ({}) got no answer", call.number, call.plan)));
    match fate {
        Fate::Answered => made.await,
        Fate::LostOnTheWay | Fate::ArrivesLate => lost(),
        Fate::AnswerLost => made.await.and_then(|_| lost()),
    }
}

/// The same statements, with nobody to read what the last of them tells.
fn unread<T>(batch: &Batch<T>) -> Batch<()> {
    let last = &batch.readback.statement;
    let readback = Query::new(last.text(), last.params().to_vec(), |_| Ok(()));
    Batch { writes: batch.writes.clone(), readback }
}

#[async_trait]
impl<R: PlanRunner> PlanRunner for Faulty<R> {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let (call, fate) = self.decided(batch.name()).await;
        if fate == Fate::ArrivesLate {
            self.on_the_way().push(unread(&batch));
        }
        conclude(call, fate, self.runner.batch(batch)).await
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        self.carry(query.statement.text().name(), self.runner.read(query)).await
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        self.carry(batch.raise.text().name(), self.runner.rehearse(batch)).await
    }
}

/// Tells when a worker is asleep, and wakes it up: see [`Faulty::asleep_at`].
#[derive(Clone, Debug)]
pub struct Alarm(Arc<Mutex<Watch>>);

#[derive(Debug, Default)]
struct Watch {
    state: State,
    waiting: Vec<Waker>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    #[default]
    NotYetAsleep,
    Asleep,
    Awake,
    Gone,
}

impl Alarm {
    /// Waits until the worker is asleep, or was woken before it could be. It tells whether that came
    /// to pass: it does not if the runner is dropped before it makes that call.
    pub async fn asleep(&self) -> bool {
        self.reach(State::Asleep).await != State::Gone
    }

    /// Wakes it up. If it is not asleep yet, it will not be.
    pub fn wake(&self) {
        self.turn(State::Awake);
    }

    /// States come one after the other; none comes again.
    fn turn(&self, state: State) {
        let mut watch = self.watch();
        watch.state = watch.state.max(state);
        watch.waiting.drain(..).for_each(Waker::wake);
    }

    async fn reach(&self, state: State) -> State {
        let look = poll_fn(|context| {
            let mut watch = self.watch();
            if watch.state >= state {
                return Poll::Ready(watch.state);
            }
            watch.waiting.push(context.waker().clone());
            Poll::Pending
        });
        look.await
    }

    fn watch(&self) -> MutexGuard<'_, Watch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a worker may fall asleep, until its runner is dropped.
struct Bed(Alarm);

impl Drop for Bed {
    fn drop(&mut self) {
        let slept = self.0.watch().state >= State::Asleep;
        self.0.turn(if slept { State::Awake } else { State::Gone });
    }
}
