//! Requests to others: for a photo, and to the receiver of events.
//!
//! The crate of the platform builds them too, and with them everything that a request may tell
//! the edge of Cloudflare, from image formats to minification.

use wasm_bindgen::JsValue;
use worker::{Error, Headers, Request, web_sys};

/// A request that the platform neither redirects by itself nor answers from a cache: with
/// `posted` for a body, a `POST`.
pub(crate) fn outgoing_request(
    address: &str,
    Headers(headers): &Headers,
    posted: Option<&str>,
) -> worker::Result<Request> {
    let init = web_sys::RequestInit::new();
    init.set_headers(headers);
    init.set_redirect(web_sys::RequestRedirect::Manual);
    init.set_cache(web_sys::RequestCache::NoStore);
    if let Some(body) = posted {
        init.set_method("POST");
        init.set_body(&JsValue::from_str(body));
    }
    web_sys::Request::new_with_str_and_init(address, &init).map(Request::from).map_err(Error::from)
}
