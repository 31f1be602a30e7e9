//! A type for every identity, so that an owner is never passed for a token.
//!
//! Random names are drawn at the edge, by a [`TokenSource`](crate::TokenSource), and handed
//! in; nothing here draws one. [`random_name!`](crate::random_name) and
//! [`counter!`](crate::counter) declare more types of the two kinds.

/// Declares a type of names that were drawn at random: `new`, `as_str`, `Display`, and the order
/// of texts.
///
/// It is written to JSON as a bare text.
///
/// ```
/// fencepost_core::random_name! {
///     /// The name of one run.
///     RunId
/// }
///
/// assert_eq!(RunId::new("b2f1").as_str(), "b2f1");
/// ```
#[macro_export]
macro_rules! random_name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// Wraps a value that the token source drew.
            pub fn new(value: impl Into<String>) -> Self {
                Self(value.into())
            }

            /// The value as it is stored.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <String as $crate::serde::Deserialize>::deserialize(deserializer).map(Self)
            }
        }
    };
}

/// Declares a number that only ever grows, so that no two kinds of them are mixed up: `new`,
/// `get`, `next`, `Display`, and where it begins.
///
/// It is written to JSON as a bare number.
///
/// ```
/// fencepost_core::counter! {
///     /// How many times an invoice was issued.
///     Edition,
///     /// Never yet.
///     NONE = 0
/// }
///
/// assert_eq!(Edition::NONE.next().get(), 1);
/// ```
#[macro_export]
macro_rules! counter {
    ($(#[$doc:meta])* $name:ident, $(#[$first_doc:meta])* $first:ident = $value:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i64);

        impl $name {
            $(#[$first_doc])*
            pub const $first: Self = Self($value);

            /// The one with this number.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// The number.
            pub const fn get(self) -> i64 {
                self.0
            }

            /// The following one; at the end of numbers, the same.
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&self.0, f)
            }
        }

        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i64(self.0)
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <i64 as $crate::serde::Deserialize>::deserialize(deserializer).map(Self)
            }
        }
    };
}

random_name! {
    /// Who holds a lease: drawn afresh for every run of a job and for every deed of a
    /// person, so that a restarted process is never its own predecessor.
    OwnerId
}

random_name! {
    /// The mark of one attempt to commit. Drawn afresh for *every* attempt: an
    /// attempt that may have landed and its retry must be told apart.
    CommitToken
}

counter! {
    /// How many times a lease has changed hands; only ever grows.
    Fence,
    /// The fence of a lease that nobody held before.
    FIRST = 1
}

counter! {
    /// How many changes of what readers see have been committed: what answers depend on, and so
    /// a part of the name that they are cached under ([`cache_key`](crate::cache_key)).
    Revision,
    /// Nothing has been changed yet.
    NONE = 0
}
