//! A row of D1: a JavaScript object with a property per column.

use fencepost_batch::{DecodeError, Row};
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

use crate::value::exact_i64;

/// A row of D1, taken as it is: no conversion, so no conversion that could fail or round.
pub(crate) struct JsRow(pub(crate) JsValue);

impl JsRow {
    /// The value of a column; `None` for NULL.
    fn value(&self, column: &'static str) -> Result<Option<JsValue>, DecodeError> {
        let value = Reflect::get(&self.0, &JsValue::from_str(column)).unwrap_or(JsValue::UNDEFINED);
        if value.is_undefined() {
            return Err(DecodeError::new(column, "is not in the row".to_owned()));
        }
        Ok((!value.is_null()).then_some(value))
    }
}

impl Row for JsRow {
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError> {
        let Some(value) = self.value(column)? else { return Ok(None) };
        let Some(number) = value.as_f64() else {
            return Err(DecodeError::new(column, format!("{value:?} is no number")));
        };
        if let Some(integer) = exact_i64(number) {
            return Ok(Some(integer));
        }
        // As JavaScript writes it. The compiler's own way would bring tables into the Worker
        // that nothing else there needs.
        let written = Object::from(value).to_string();
        let problem = format!("{written} is no integer that JavaScript's numbers can hold");
        Err(DecodeError::new(column, problem))
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError> {
        let Some(value) = self.value(column)? else { return Ok(None) };
        match value.as_string() {
            Some(text) => Ok(Some(text)),
            None => Err(DecodeError::new(column, format!("{value:?} is no text"))),
        }
    }
}
