//! Methods of the platform that the crate for it does not know, or knows with more around them
//! than is needed here.

use js_sys::{Array, Function, Promise, Reflect, futures::JsFuture};
use wasm_bindgen::{JsCast, JsValue};

/// What a promise comes to that a method returns; or the error, also if there is no such method.
pub(crate) async fn promised(
    object: &JsValue,
    method: &str,
    arguments: &[JsValue],
) -> Result<JsValue, JsValue> {
    let function = Reflect::get(object, &JsValue::from_str(method))?.dyn_into::<Function>();
    let function = function.map_err(|_| JsValue::from_str(&format!("it has no method {method}")))?;
    let promise: Promise = function.apply(object, &arguments.iter().collect::<Array>())?.dyn_into()?;
    JsFuture::from(promise).await
}
