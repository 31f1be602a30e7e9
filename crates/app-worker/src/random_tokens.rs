//! Random names from the platform.

use fencepost_ports::TokenSource;

/// Names of 128 random bits, in 32 lower-case hexadecimal digits.
///
/// # Panics
///
/// Drawing panics when the platform has no randomness to give, which it has in every
/// event. A name that is not random could equal another worker's, and fencing would then
/// protect nothing: stopping is the only safe answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RandomTokens;

impl TokenSource for RandomTokens {
    fn draw(&self) -> String {
        let mut bits = [0; 16];
        getrandom::fill(&mut bits)
            .expect("the platform gives random bytes in every event: without them no lease is safe");
        format!("{:032x}", u128::from_be_bytes(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_drawn_twice() {
        let (first, second) = (RandomTokens.draw(), RandomTokens.draw());
        assert_ne!(first, second);
        assert_eq!((first.len(), second.len()), (32, 32));
    }
}
