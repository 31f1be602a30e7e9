//! The one crossing between integers and JavaScript's numbers: exact, or refused.
//!
//! D1 takes and gives numbers as 64-bit floating point, which holds every integer up to
//! 2^53 and only some beyond. An instant, a price or an id that came back as its
//! neighbour would be a silent lie, so whatever lies beyond is refused.

use fencepost_batch::Value;
use wasm_bindgen::JsValue;

/// The largest integer whose neighbours are told apart.
const MAX_EXACT: i64 = (1 << 53) - 1;

/// A parameter as D1 takes it; an error for an integer that would not arrive as it is.
pub(crate) fn to_js(value: &Value) -> Result<JsValue, String> {
    match value {
        Value::Null => Ok(JsValue::NULL),
        Value::Text(text) => Ok(JsValue::from_str(text)),
        Value::Integer(integer) => exact_f64(*integer).map(JsValue::from_f64),
        Value::Clock => Err("the clock argument was not filled in".to_owned()),
    }
}

/// An integer as a floating-point number.
pub(crate) fn exact_f64(integer: i64) -> Result<f64, String> {
    if integer.unsigned_abs() > MAX_EXACT.unsigned_abs() {
        return Err(format!("{integer} is beyond 2^53, where JavaScript's numbers have gaps"));
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "every integer up to 2^53 has a floating-point number of its own"
    )]
    Ok(integer as f64)
}

/// A floating-point number as an integer; `None` for one that JavaScript's numbers cannot hold
/// for certain.
pub(crate) fn exact_i64(number: f64) -> Option<i64> {
    // 2^53 - 1 has an exact floating-point number, so the comparison is exact too.
    let is_exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number within 2^53 fits")]
    is_exact.then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_cross_exactly_or_not_at_all() {
        for integer in [0, 1, -1, 1_764_375_000_000, MAX_EXACT, -MAX_EXACT] {
            assert_eq!(exact_f64(integer).map(exact_i64), Ok(Some(integer)));
        }
        for integer in [MAX_EXACT + 1, -MAX_EXACT - 1, i64::MAX, i64::MIN] {
            assert!(exact_f64(integer).is_err(), "{integer}");
        }
        for number in [0.5, -1.5, 9_007_199_254_740_992.0, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(exact_i64(number), None, "{number}");
        }
    }
}
