//! Which read is for which request, with a store that is driven by hand: nothing here
//! happens by itself, and a request goes on only when it has been woken.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use async_trait::async_trait;
use fencepost_adapter_native::SharedRevisions;
use fencepost_domain::{
    calendar::Stretch,
    revision::{Revision, SiteMoment},
    time::UnixMillis,
};
use fencepost_ports::{RevisionSource, StoreError};
use tokio::sync::oneshot;

type Told = Result<SiteMoment, StoreError>;

/// A store whose reads end when the test says so.
#[derive(Clone, Default)]
struct ByHand(Arc<Mutex<Reads>>);

#[derive(Default)]
struct Reads {
    begun: usize,
    running: VecDeque<oneshot::Sender<Told>>,
}

impl ByHand {
    /// How many reads have begun, given up ones included.
    fn begun(&self) -> usize {
        self.0.lock().unwrap().begun
    }

    /// Ends the read that runs, of which there is never more than one.
    fn end(&self, told: Told) {
        let mut reads = self.0.lock().unwrap();
        reads.running.retain(|read| !read.is_closed());
        assert_eq!(reads.running.len(), 1, "reads at once");
        reads.running.pop_front().unwrap().send(told).unwrap();
    }
}

#[async_trait]
impl RevisionSource for ByHand {
    async fn moment(&self) -> Told {
        let (end, ended) = oneshot::channel();
        {
            let mut reads = self.0.lock().unwrap();
            reads.begun += 1;
            reads.running.push_back(end);
        }
        ended.await.unwrap()
    }
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A request, from its arrival on.
struct Request {
    future: Pin<Box<dyn Future<Output = Told> + Send>>,
    woken: Arc<Woken>,
    told: Option<Told>,
}

impl Request {
    fn arrives(at: &Arc<SharedRevisions>) -> Self {
        let at = Arc::clone(at);
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        let mut request = Self { future: Box::pin(async move { at.moment().await }), woken, told: None };
        request.goes_on();
        request
    }

    /// Goes on as far as it can, if it has been woken.
    fn goes_on(&mut self) {
        while self.told.is_none() && self.woken.0.swap(false, Ordering::SeqCst) {
            let waker = Waker::from(Arc::clone(&self.woken));
            if let Poll::Ready(told) = self.future.as_mut().poll(&mut Context::from_waker(&waker)) {
                self.told = Some(told);
            }
        }
    }

    /// The revision that it has been told, if it has been told anything.
    fn revision(&mut self) -> Option<i64> {
        self.goes_on();
        self.told.clone().map(|told| told.unwrap().publication_revision.get())
    }
}

fn at(revision: i64) -> Told {
    let now = UnixMillis::new(revision);
    Ok(SiteMoment {
        now,
        publication_revision: Revision::new(revision),
        bank_revision: 1,
        overdue: false,
        stretch: Stretch::around(now, None, None),
    })
}

fn shared() -> (ByHand, Arc<SharedRevisions>) {
    let store = ByHand::default();
    (store.clone(), Arc::new(SharedRevisions::new(Arc::new(store))))
}

#[test]
fn a_lone_request_reads_by_itself_and_each_one_anew() {
    let (store, shared) = shared();
    for revision in 1..=3 {
        let mut request = Request::arrives(&shared);
        assert_eq!((store.begun(), request.revision()), (usize::try_from(revision).unwrap(), None));
        store.end(at(revision));
        assert_eq!(request.revision(), Some(revision));
    }
}

#[test]
fn a_request_that_arrives_during_a_read_waits_for_one_that_begins_later() {
    let (store, shared) = shared();
    let mut first = Request::arrives(&shared);
    let mut during = Request::arrives(&shared);
    assert_eq!(store.begun(), 1, "one read at a time");
    store.end(at(1));
    assert_eq!((first.revision(), during.revision(), store.begun()), (Some(1), None, 2));
    let mut during_the_second = Request::arrives(&shared);
    store.end(at(2));
    assert_eq!((during.revision(), during_the_second.revision(), store.begun()), (Some(2), None, 3));
    store.end(at(3));
    assert_eq!(during_the_second.revision(), Some(3));
}

#[test]
fn all_who_arrived_before_a_read_began_are_told_by_it() {
    let (store, shared) = shared();
    let mut first = Request::arrives(&shared);
    let mut others: Vec<_> = (0..100).map(|_| Request::arrives(&shared)).collect();
    store.end(at(1));
    assert_eq!(first.revision(), Some(1));
    for other in &mut others {
        assert_eq!(other.revision(), None);
    }
    store.end(at(2));
    for other in &mut others {
        assert_eq!(other.revision(), Some(2));
    }
    assert_eq!(store.begun(), 2, "reads for 101 requests");
}

/// The lead has been handed on, and the one who has it has not come to its turn yet.
#[test]
fn who_arrives_before_a_read_begins_that_is_about_to_is_told_by_it() {
    let (store, shared) = shared();
    let mut first = Request::arrives(&shared);
    let mut next = Request::arrives(&shared);
    store.end(at(1));
    assert_eq!(first.revision(), Some(1));
    let mut just_in_time = Request::arrives(&shared);
    assert_eq!((store.begun(), next.revision(), store.begun()), (1, None, 2));
    store.end(at(2));
    assert_eq!((next.revision(), just_in_time.revision()), (Some(2), Some(2)));
}

#[test]
fn a_reader_whose_client_goes_strands_neither_its_followers_nor_who_came_later() {
    let (store, shared) = shared();
    let mut first = Request::arrives(&shared);
    let [mut leader, mut follower] = [Request::arrives(&shared), Request::arrives(&shared)];
    store.end(at(1));
    assert_eq!((first.revision(), leader.revision(), store.begun()), (Some(1), None, 2));
    let mut later = Request::arrives(&shared);
    drop(leader);
    assert_eq!((follower.revision(), later.revision(), store.begun()), (None, None, 3));
    store.end(at(3));
    assert_eq!((follower.revision(), later.revision()), (Some(3), Some(3)));
    let mut anew = Request::arrives(&shared);
    store.end(at(4));
    assert_eq!((anew.revision(), store.begun()), (Some(4), 4));
}

#[test]
fn a_lone_reader_whose_client_goes_leaves_the_way_free() {
    let (store, shared) = shared();
    drop(Request::arrives(&shared));
    let mut next = Request::arrives(&shared);
    store.end(at(2));
    assert_eq!((next.revision(), store.begun()), (Some(2), 2));
}

#[test]
fn who_goes_before_its_turn_has_come_or_before_it_has_noticed_is_passed_over() {
    let (store, shared) = shared();
    let mut first = Request::arrives(&shared);
    let [gone, unaware, mut patient] = [(); 3].map(|()| Request::arrives(&shared));
    drop(gone);
    store.end(at(1));
    assert_eq!(first.revision(), Some(1));
    assert!(unaware.woken.0.load(Ordering::SeqCst), "the lead is its");
    drop(unaware);
    assert_eq!((patient.revision(), store.begun()), (None, 2));
    store.end(at(2));
    assert_eq!(patient.revision(), Some(2));
}

#[test]
fn a_failure_is_told_to_all_that_it_is_for_and_to_nobody_later() {
    let (store, shared) = shared();
    let mut first = Request::arrives(&shared);
    let mut others = [(); 3].map(|()| Request::arrives(&shared));
    store.end(at(1));
    assert_eq!(first.revision(), Some(1));
    others[0].goes_on();
    let mut later = Request::arrives(&shared);
    let failure = StoreError::refused("the disk is gone");
    store.end(Err(failure.clone()));
    for other in &mut others {
        other.goes_on();
        assert_eq!(other.told, Some(Err(failure.clone())));
    }
    assert_eq!((later.revision(), store.begun()), (None, 3));
    store.end(at(3));
    assert_eq!(later.revision(), Some(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_crowd_on_many_threads_is_told_what_was_so_after_it_asked() {
    /// Tells how often it has been asked, and takes its time.
    #[derive(Default)]
    struct Counting(Arc<std::sync::atomic::AtomicI64>);

    #[async_trait]
    impl RevisionSource for Counting {
        async fn moment(&self) -> Told {
            let revision = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::task::yield_now().await;
            at(revision)
        }
    }

    let store = Counting::default();
    let begun = Arc::clone(&store.0);
    let shared = Arc::new(SharedRevisions::new(Arc::new(store)));
    let mut crowd = tokio::task::JoinSet::new();
    for reader in 0..64 {
        let (shared, begun) = (Arc::clone(&shared), Arc::clone(&begun));
        crowd.spawn(async move {
            for request in 0..100 {
                let before = begun.load(Ordering::SeqCst);
                let ask = shared.moment();
                // Every seventh client goes at once, whether it waits or reads.
                let told = if (reader + request) % 7 == 0 {
                    tokio::select! {
                        biased;
                        told = ask => told,
                        () = std::future::ready(()) => continue,
                    }
                } else {
                    ask.await
                };
                assert!(told.unwrap().publication_revision.get() > before, "a read that ran already");
            }
        });
    }
    while let Some(reader) = crowd.join_next().await {
        reader.unwrap();
    }
    assert!(begun.load(Ordering::SeqCst) < 3_200, "reads of 6400 requests: {begun:?}");
}
