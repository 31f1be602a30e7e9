//! Sorting that is compiled once.
//!
//! The standard library's sort is quick with millions of values and compiled anew for every
//! type of them, some five kilobytes each. What is sorted here are the few things that a person
//! reads, or twenty thousand rows once in a while. So numbers are sorted in their place, by one
//! sort for all types, and the values follow by being swapped.

use std::cmp::Ordering;

/// Sorts. Equals keep their order.
pub fn sort<T: Ord>(all: &mut [T]) {
    put(all, places(all.len(), &|one, other| all[one].cmp(&all[other])));
}

/// Sorts by what `key` says. What has the same key keeps its order.
pub fn sort_by_key<T, K: Ord>(all: &mut [T], key: impl Fn(&T) -> K) {
    put(all, places(all.len(), &|one, other| key(&all[one]).cmp(&key(&all[other]))));
}

/// Puts each value into its place.
fn put<T>(all: &mut [T], mut places: Vec<usize>) {
    // Every swap brings one value to its place, where it stays.
    for at in 0..all.len() {
        while places[at] != at {
            let place = places[at];
            all.swap(at, place);
            places.swap(at, place);
        }
    }
}

/// The place of each of so many values.
fn places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    let mut places = vec![0; count];
    for (place, value) in order.into_iter().enumerate() {
        places[value] = place;
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_the_standard_library(
            mut all in prop::collection::vec((0..9_u8, any::<u8>()), 0..60),
        ) {
            let mut expected = all.clone();
            expected.sort_by_key(|(key, _)| *key);
            sort_by_key(&mut all, |(key, _)| *key);
            prop_assert_eq!(&all, &expected);
            sort(&mut all);
            expected.sort();
            prop_assert_eq!(all, expected);
        }
    }
}
