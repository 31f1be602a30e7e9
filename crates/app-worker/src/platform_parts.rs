//! Forms in parts, read by the platform, which does so for every `Response` that it is told is
//! one.

use async_trait::async_trait;
use axum::{body::Bytes, http::HeaderValue};
use fencepost_adapter_http::FormParts;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use worker::{Headers, ResponseBuilder, send::SendFuture, web_sys};

use crate::promised::promised;

/// Has the platform read them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlatformParts;

#[async_trait]
impl FormParts for PlatformParts {
    async fn read(&self, content_type: &HeaderValue, body: Bytes) -> Option<Vec<(String, String)>> {
        SendFuture::new(read(content_type.to_str().ok()?, body.into())).await
    }
}

async fn read(content_type: &str, body: Vec<u8>) -> Option<Vec<(String, String)>> {
    let headers = Headers::new();
    headers.set("content-type", content_type).ok()?;
    let form = ResponseBuilder::new().with_headers(headers).fixed(body);
    let form = JsValue::from(web_sys::Response::from(form));
    let entries = Array::from(&promised(&form, "formData", &[]).await.ok()?);
    let mut parts = Vec::new();
    for entry in entries.iter() {
        let entry: Array = entry.dyn_into().ok()?;
        let (name, content) = (entry.get(0).as_string()?, entry.get(1));
        // A file is no text yet.
        let content = match content.as_string() {
            Some(text) => text,
            None => promised(&content, "text", &[]).await.ok()?.as_string()?,
        };
        parts.push((name, content));
    }
    Some(parts)
}
