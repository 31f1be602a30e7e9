//! The kit's batches from outside, as those see them who use them.

mod misuse;

mod orders;

mod texts;

mod decoding;

mod committing;

mod slots;
