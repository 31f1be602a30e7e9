//! The protocol and its flaws, in bounds that are gone through in seconds.

use std::collections::BTreeSet;

use fencepost_protocol_model::{
    actor::Tries,
    catalog::{VARIANTS, Verdict},
    explore::{hunt, survey},
    flaw::{Flaw, Flaws},
    message::Task,
    model::{Bounds, Protocol, Sought},
    promises::PROMISES,
};

const SMALL: Bounds =
    Bounds { runs: 1, operator: &[], tries: Tries { begin: 2, commit: 2, end: 1 }, late: 1 };

const OPERATED: Bounds =
    Bounds { operator: &[Task::Withdraw], tries: Tries { begin: 1, commit: 1, end: 1 }, ..SMALL };

fn protocol(bounds: Bounds, flaws: Flaws) -> Protocol {
    Protocol { bounds, flaws, sought: Sought::Everything }
}

/// There is one answer to how many states there are, and to how far away the last one is. A
/// change of either is a change of the protocol, or of the model.
fn check(bounds: Bounds, expected: (usize, usize)) {
    let survey = survey(protocol(bounds, Flaws::NONE));
    if let Some(counterexample) = survey.counterexample {
        panic!("{:?} broken by {:#?}", counterexample.broken, counterexample.steps);
    }
    let unseen: Vec<_> = survey.sights.iter().filter(|(_, is_seen)| !is_seen).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
    assert_eq!((survey.states, survey.depth), expected);
}

#[test]
fn two_workers_keep_every_promise_in_every_state() {
    check(SMALL, (29_154, 18));
}

#[test]
fn an_operator_breaks_no_promise() {
    check(OPERATED, (17_460, 13));
}

#[test]
fn a_survey_tells_the_shortest_way_to_a_broken_promise() {
    let survey = survey(protocol(OPERATED, Flaws::of(&[Flaw::LeaseUnasked])));
    let counterexample = survey.counterexample.unwrap();
    assert_eq!(counterexample.broken, ["whoever writes holds the live lease"]);
    assert_eq!(
        counterexample.steps,
        [
            "A1 sends its claim: A1 holds the lease, fence 1, the item is processing",
            "O1 sends its take-over: O1 holds the lease, fence 2",
            "A1 sends its attempt 1 to publish, fence 1: the item is published, page at version 1, \
             revision 1, receipt of A1 with fence 1, revision 1, quota counts 1, it reports: committed",
        ]
    );
}

#[test]
fn every_flaw_does_what_the_catalog_says_and_no_promise_is_beyond_them() {
    let mut broken = BTreeSet::new();
    for variant in &VARIANTS {
        let hunt = hunt(variant.protocol());
        match (variant.verdict, hunt.counterexample) {
            (Verdict::Breaks(name), Some(counterexample)) => {
                assert!(
                    counterexample.broken.contains(&name),
                    "{}: {:?}",
                    variant.name,
                    counterexample.broken
                );
                assert!(!counterexample.steps.is_empty(), "{}", variant.name);
                broken.extend(counterexample.broken);
            }
            (Verdict::Breaks(name), None) => panic!("{}: does not break {name:?}", variant.name),
            (Verdict::Withstands, None) => assert!(hunt.states > 10_000, "{}", variant.name),
            (Verdict::Withstands, Some(counterexample)) => {
                panic!("{}: {:?} broken by {:#?}", variant.name, counterexample.broken, counterexample.steps);
            }
        }
    }
    let promised: BTreeSet<_> = PROMISES.iter().map(|promise| promise.name).collect();
    assert_eq!(broken, promised);
}
