//! Random names from the platform.

use crate::TokenSource;

/// Names of 128 random bits, in 32 lower-case hexadecimal digits.
///
/// # Panics
///
/// Drawing panics when the platform has no randomness to give. A name that is
/// not random could equal another worker's, and fencing would then protect nothing:
/// stopping is the only safe answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomTokens;

impl TokenSource for RandomTokens {
    fn draw(&self) -> String {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits).expect("the platform gives random bytes: without them no lease is safe");
        format!("{:032x}", u128::from_be_bytes(bits))
    }
}
