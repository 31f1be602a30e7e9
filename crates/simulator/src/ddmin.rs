//! Delta debugging: what is left of a list when everything is taken out that is not needed.
//!
//! See Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input* (2002).
//! It takes out halves first, then ever smaller parts; whenever something could go, it
//! begins again with larger parts of what is left. In the end, nothing can go by itself.

/// A part of `all` that is still `enough`, and of which nothing can be left out by itself.
///
/// # Errors
/// That of `enough`.
pub(crate) fn smallest<T: Clone, E>(
    mut all: Vec<T>,
    mut enough: impl FnMut(&[T]) -> Result<bool, E>,
) -> Result<Vec<T>, E> {
    if all.is_empty() || enough(&[])? {
        return Ok(Vec::new());
    }
    let mut parts = 2;
    while all.len() > 1 {
        let size = all.len().div_ceil(parts);
        let mut is_smaller = false;
        let mut from = 0;
        while from < all.len() && all.len() > 1 {
            let to = (from + size).min(all.len());
            let rest = [&all[..from], &all[to..]].concat();
            if enough(&rest)? {
                all = rest;
                is_smaller = true;
            } else {
                from = to;
            }
        }
        if size == 1 && !is_smaller {
            break;
        }
        parts = if is_smaller { 2.max(parts - 1) } else { parts * 2 }.min(all.len().max(2));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// What is left of 0 to 99 when these are needed, and how often it was tried.
    fn check(needed: &[u32], most_tries: usize) {
        let mut tries = 0;
        let left = smallest((0..100).collect(), |some| {
            tries += 1;
            Ok::<_, Infallible>(needed.iter().all(|number| some.contains(number)))
        });
        assert_eq!(left, Ok(needed.to_vec()));
        assert!(tries <= most_tries, "{tries} tries");
    }

    #[test]
    fn what_is_needed_is_left() {
        check(&[], 1);
        check(&[42], 20);
        check(&[0, 99], 60);
        check(&[3, 17, 40, 41, 80], 150);
    }

    #[test]
    fn of_two_that_each_would_do_one_is_left() {
        let left =
            smallest((0..50).collect(), |some| Ok::<_, Infallible>(some.contains(&7) || some.contains(&30)));
        assert!(matches!(left, Ok(left) if left == [7] || left == [30]));
    }

    #[test]
    fn an_error_ends_it() {
        assert_eq!(smallest(vec![1, 2], |_| Err("no more")), Err("no more"));
    }
}
