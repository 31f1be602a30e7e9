//! Photos in an R2 bucket.
//!
//! A key is the hash of the content, so two things are asked of every object: that it is
//! created once and never overwritten, and that it is what its key says. R2 does both. A
//! put with the condition that no object has any tag writes nothing if there is one. And a
//! put that names a SHA-256 is refused if the bytes have another one; R2 keeps the digest
//! beside the object and tells it with every read. So no byte is hashed in here: a few
//! megabytes would cost more time than a Worker on the smallest plan may use.
//!
//! Each request to the bucket is a call of the invocation's budget.
//!
//! An object without that digest, or with another one, was not stored by this program. It
//! is never served and never taken for the photo; it is reported, and not replaced.

use async_trait::async_trait;
use fencepost_core::RandomTokens;
use fencepost_domain::image::ImageKey;
use fencepost_ports::{Blob, BlobError, BlobStore, Budget, PutOutcome, TokenSource};
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::JsValue;
use worker::{Bucket, Error};

use crate::promised::promised;

/// Photos as objects of one bucket, named by their keys.
#[derive(Clone, Debug)]
pub(crate) struct R2Blobs {
    bucket: Bucket,
    budget: Budget,
}

impl R2Blobs {
    /// The blobs of `bucket`, within `budget`.
    pub(crate) fn new(bucket: Bucket, budget: Budget) -> Self {
        Self { bucket, budget }
    }

    /// Calls a method of the bucket for the object of a name. The platform's crate would bring
    /// streams into the Worker, and whatever else an object can be made of.
    async fn call(&self, method: &str, name: &str, more: &[JsValue]) -> Result<Option<Stored>, Error> {
        let arguments = [&[JsValue::from_str(name)], more].concat();
        let told = promised(self.bucket.as_ref(), method, &arguments).await?;
        Ok((!told.is_null() && !told.is_undefined()).then_some(Stored(told)))
    }

    #[worker::send]
    async fn create(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError> {
        self.budget.spend(1)?;
        let failed = |problem| failed("store", key, &problem);
        let conditions = conditions(key).map_err(|problem| failed(problem.into()))?;
        let bytes = Uint8Array::from(bytes.as_slice()).into();
        if self.call("put", key.as_str(), &[bytes, conditions]).await.map_err(failed)?.is_some() {
            return Ok(PutOutcome::Stored);
        }
        match self.look(key).await? {
            Some(_) => Ok(PutOutcome::AlreadyThere),
            None => Err(BlobError::Failed(format!(
                "the object {key} was there and is gone: something deletes objects; store it again"
            ))),
        }
    }

    #[worker::send]
    async fn read(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError> {
        self.budget.spend(1)?;
        let failed = |problem| failed("read", key, &problem);
        let Some(object) = self.call("get", key.as_str(), &[]).await.map_err(failed)? else {
            return Ok(None);
        };
        object.recognise(key)?;
        let bytes = object.bytes().await.map_err(failed)?;
        if bytes.len().to_string() != object.size() {
            return Err(BlobError::Failed(format!(
                "the object {key} broke off after {} of its {} bytes; try again",
                bytes.len(),
                object.size()
            )));
        }
        Ok(Some(Blob { bytes }))
    }

    /// A probe has a name that begins as no key does.
    #[worker::send]
    async fn write_and_read(&self) -> Result<(), BlobError> {
        const BYTES: &[u8] = b"fencepost";
        let name = format!("fencepost-probe-{}", RandomTokens.draw());
        let failed = |action: &str, problem: Error| {
            BlobError::Failed(format!(
                "cannot {action} {name}: {problem}; check the R2 bucket, and try again"
            ))
        };
        self.budget.spend(3)?;
        let put = self.call("put", &name, &[Uint8Array::from(BYTES).into()]).await;
        put.map_err(|problem| failed("store", problem))?;
        let bytes = match self.call("get", &name, &[]).await {
            Ok(Some(object)) => object.bytes().await,
            Ok(None) => Ok(Vec::new()),
            Err(problem) => Err(problem),
        };
        let deleted = self.call("delete", &name, &[]).await;
        let bytes = bytes.map_err(|problem| failed("read", problem))?;
        deleted.map_err(|problem| failed("delete", problem))?;
        if bytes == BYTES {
            return Ok(());
        }
        Err(BlobError::Failed(format!(
            "{name} read back as something else; check the R2 bucket, and try again"
        )))
    }

    /// The object under `key`, without its bytes.
    #[worker::send]
    async fn look(&self, key: &ImageKey) -> Result<Option<Stored>, BlobError> {
        self.budget.spend(1)?;
        let found = self.call("head", key.as_str(), &[]).await;
        let found = found.map_err(|problem| failed("look for", key, &problem))?;
        found.map(|object| object.recognise(key).map(|()| object)).transpose()
    }
}

/// That there is no object of this name yet, that the bytes have the hash of the key, and what
/// they are.
fn conditions(key: &ImageKey) -> Result<JsValue, JsValue> {
    let with = |object: Object, name: &str, value: JsValue| {
        Reflect::set(&object, &JsValue::from_str(name), &value).map(|_| object)
    };
    let unseen = with(Object::new(), "etagDoesNotMatch", JsValue::from_str("*"))?;
    let kind = with(Object::new(), "contentType", JsValue::from_str(key.format().content_type()))?;
    let sha256 = Uint8Array::from(key.sha256().as_slice()).buffer();
    let conditions = with(Object::new(), "onlyIf", unseen.into())?;
    let conditions = with(conditions, "httpMetadata", kind.into())?;
    with(conditions, "sha256", sha256.into()).map(JsValue::from)
}

#[async_trait]
impl BlobStore for R2Blobs {
    async fn put(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError> {
        self.create(key, bytes).await
    }

    async fn get(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError> {
        self.read(key).await
    }

    async fn exists(&self, key: &ImageKey) -> Result<bool, BlobError> {
        Ok(self.look(key).await?.is_some())
    }

    async fn probe(&self) -> Result<(), BlobError> {
        self.write_and_read().await
    }
}

/// An object, as the bucket tells of it.
struct Stored(JsValue);

impl Stored {
    fn told(&self, name: &str) -> JsValue {
        Reflect::get(&self.0, &JsValue::from_str(name)).unwrap_or_default()
    }

    /// How many bytes it has, as JavaScript writes it.
    fn size(&self) -> String {
        Object::from(self.told("size")).to_string().into()
    }

    async fn bytes(&self) -> Result<Vec<u8>, Error> {
        Ok(Uint8Array::new(&promised(&self.0, "arrayBuffer", &[]).await?).to_vec())
    }

    /// Makes sure that it is the one that its key names.
    fn recognise(&self, key: &ImageKey) -> Result<(), BlobError> {
        let sha256 = Reflect::get(&self.told("checksums"), &JsValue::from_str("sha256"));
        let is_own = sha256.is_ok_and(|sha256| Uint8Array::new(&sha256).to_vec() == key.sha256());
        if is_own {
            return Ok(());
        }
        Err(BlobError::Failed(format!(
            "the object {key} of {} bytes is not the photo that its name promises; \
             delete it or restore it from a backup, then fetch the photo again",
            self.size()
        )))
    }
}

fn failed(action: &str, key: &ImageKey, problem: &Error) -> BlobError {
    BlobError::Failed(format!(
        "cannot {action} the object {key}: {problem}; check the R2 bucket, and try again"
    ))
}
