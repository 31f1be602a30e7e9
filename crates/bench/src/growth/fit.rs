//! The exponent of a growth.

/// The slope of the line that is nearest to the logarithms of the points, by least squares:
/// the `b` of `y = a · x^b`. There is none for fewer than two points, or where a value is
/// nothing.
pub(super) fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 2 || points.iter().any(|(x, y)| *x <= 0.0 || *y <= 0.0) {
        return None;
    }
    let logarithms: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| {
        let (sum, count) = logarithms.iter().fold((0.0, 0.0), |(sum, count), it| (sum + of(it), count + 1.0));
        sum / count
    };
    let (mean_x, mean_y) = (mean(|it| it.0), mean(|it| it.1));
    let of_all = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        logarithms.iter().map(|(x, y)| of(x - mean_x, y - mean_y)).sum()
    };
    let slope = of_all(&|x, y| x * y) / of_all(&|x, _| x * x);
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn what_costs_the_same_has_0_and_what_looks_at_everything_has_1() {
        let of = |value: fn(f64) -> f64| {
            let points: Vec<_> = [10.0, 100.0, 10_000.0].map(|size: f64| (size, value(size))).into();
            (exponent(&points).unwrap() * 1_000.0).round() / 1_000.0
        };
        assert_eq!(of(|_| 7.0), 0.0);
        assert_eq!(of(|size| 3.0 * size), 1.0);
        assert_eq!(of(|size| 3.0 * size * size), 2.0);
        assert!(of(|size| size.ln()) < 0.3);
    }

    #[test]
    fn there_is_no_growth_in_a_single_point_or_in_nothing() {
        assert_eq!(exponent(&[(10.0, 1.0)]), None);
        assert_eq!(exponent(&[(10.0, 1.0), (10.0, 2.0)]), None);
        assert_eq!(exponent(&[(10.0, 0.0), (100.0, 2.0)]), None);
    }
}
