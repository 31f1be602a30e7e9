//! What the types exclude, with what the compiler says to it.
//!
//! The messages are kept beside the cases, since they are what somebody reads who got it wrong:
//! a case that fails to compile for another reason than it should is found by its message. The
//! compiler is the one that `rust-toolchain.toml` names. `TRYBUILD=overwrite` accepts what another
//! one says.

#[test]
fn what_would_be_unsafe_does_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/misuse/shared/right.rs");
    cases.compile_fail("tests/misuse/*.rs");
}
