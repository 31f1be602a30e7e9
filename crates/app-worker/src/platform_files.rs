//! The files that are sent as they are, kept by the platform beside the Worker.
//!
//! They are deployed with it as its static assets, and only with it, so they are those of this
//! build. The platform asks the Worker first, whatever the address, so that no file is public
//! under a second one and without its headers: see `wrangler.toml`.

use async_trait::async_trait;
use axum::body::Bytes;
use fencepost_adapter_http::Files;
use fencepost_ports::{Budget, StoreError};
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::JsValue;
use worker::{Env, send::SendFuture};

use crate::promised::promised;

/// The binding that has the files.
const FILES: &str = "FILES";
/// In front of a name: the platform takes whole addresses only, and looks at the path.
const ADDRESS: &str = "https://files.invalid/";

/// Asks the platform for files.
pub(crate) struct PlatformFiles {
    env: Env,
    budget: Budget,
}

impl PlatformFiles {
    /// The files of a deployment, asked for within `budget`.
    pub(crate) const fn new(env: Env, budget: Budget) -> Self {
        Self { env, budget }
    }

    async fn fetch(&self, name: &str) -> Result<Bytes, JsValue> {
        let files = Reflect::get(&self.env, &JsValue::from_str(FILES))?;
        let address = JsValue::from_str(&format!("{ADDRESS}{name}"));
        let response = promised(&files, "fetch", &[address]).await?;
        if Reflect::get(&response, &JsValue::from_str("status"))?.as_f64() != Some(200.0) {
            return Err(JsValue::from_str("it is not there"));
        }
        let content = promised(&response, "arrayBuffer", &[]).await?;
        Ok(Uint8Array::new(&content).to_vec().into())
    }
}

#[async_trait]
impl Files for PlatformFiles {
    async fn read(&self, name: &'static str) -> Result<Bytes, StoreError> {
        self.budget.spend(1)?;
        let read = SendFuture::new(self.fetch(name)).await;
        read.map_err(|problem| StoreError::unknown(format!("the file {name} cannot be had: {problem:?}")))
    }
}
