use std::collections::HashSet;

use fencepost_core::{RandomTokens, TokenSource};

#[test]
fn a_name_is_128_bits_in_lower_case_hexadecimal() {
    let name = RandomTokens.draw();
    assert_eq!(name.len(), 32, "{name}");
    assert!(name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{name}");
}

#[test]
fn no_name_is_drawn_twice() {
    let names: HashSet<String> = (0..10_000).map(|_| RandomTokens.draw()).collect();
    assert_eq!(names.len(), 10_000);
}

#[test]
fn every_bit_varies() {
    let (mut ever_set, mut always_set) = (0, u128::MAX);
    for _ in 0..1_000 {
        let bits = u128::from_str_radix(&RandomTokens.draw(), 16).unwrap();
        ever_set |= bits;
        always_set &= bits;
    }
    assert_eq!((ever_set, always_set), (u128::MAX, 0));
}
