//! Goes through every state of the protocol, and shows what each of its rules is good for.
//!
//! `cargo run --release -p fencepost-protocol-model`

use std::{process::ExitCode, time::Instant};

use fencepost_protocol_model::{
    catalog::{CONFIGURATIONS, Configuration, VARIANTS, Variant, Verdict},
    explore::{Counterexample, hunt, survey},
    promises::PROMISES,
};

fn main() -> ExitCode {
    println!("THE PROTOCOL AS IT IS: EVERY STATE\n");
    let mut failures = CONFIGURATIONS.iter().filter(|it| !explore(it)).count();
    println!("WITHOUT SOME OF ITS RULES: THE SHORTEST WAY TO A BROKEN PROMISE\n");
    failures += VARIANTS.iter().filter(|it| !show(it)).count();
    if failures == 0 {
        println!("all as it should be");
        ExitCode::SUCCESS
    } else {
        println!("not as it should be: {failures}");
        ExitCode::FAILURE
    }
}

fn explore(configuration: &Configuration) -> bool {
    println!("{}", configuration.name);
    let began = now();
    let survey = survey(configuration.protocol());
    let seconds = began.elapsed().as_secs_f32();
    println!("  {} states, the farthest {} steps away, in {seconds:.1} s", survey.states, survey.depth);
    let broken = survey.counterexample.as_ref().map_or(&[] as &[_], |it| &it.broken);
    for promise in &PROMISES {
        let mark = if broken.contains(&promise.name) { "BROKEN  " } else { "kept    " };
        println!("  {mark} {}", promise.name);
    }
    for (name, is_seen) in &survey.sights {
        println!("  {} {name}", if *is_seen { "seen    " } else { "NOT SEEN" });
    }
    if let Some(counterexample) = &survey.counterexample {
        tell(counterexample);
    }
    println!();
    survey.counterexample.is_none() && survey.sights.iter().all(|(_, is_seen)| *is_seen)
}

fn show(variant: &Variant) -> bool {
    println!("{}", variant.name);
    let hunt = hunt(variant.protocol());
    let as_said = match (variant.verdict, &hunt.counterexample) {
        (Verdict::Breaks(name), Some(counterexample)) => {
            println!("  breaks, as it should: {name}");
            tell(counterexample);
            counterexample.broken.contains(&name)
        }
        (Verdict::Breaks(name), None) => {
            println!("  DOES NOT BREAK in {} states: {name}", hunt.states);
            false
        }
        (Verdict::Withstands, None) => {
            println!("  breaks nothing, as it should, in {} states", hunt.states);
            true
        }
        (Verdict::Withstands, Some(counterexample)) => {
            println!("  BREAKS: {}", counterexample.broken.join("; "));
            tell(counterexample);
            false
        }
    };
    println!();
    as_said
}

fn tell(counterexample: &Counterexample) {
    for (number, step) in (1..).zip(&counterexample.steps) {
        println!("  {number:>3}. {step}");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time that a search took is for people and decides nothing"
)]
fn now() -> Instant {
    Instant::now()
}
