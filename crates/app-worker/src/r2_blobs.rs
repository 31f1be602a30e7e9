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
use worker::{Bucket, Conditional, HttpMetadata, Object};

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

    #[worker::send]
    async fn create(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError> {
        let unseen = Conditional { etag_does_not_match: Some("*".to_owned()), ..Conditional::default() };
        let metadata = HttpMetadata {
            content_type: Some(key.format().content_type().to_owned()),
            ..HttpMetadata::default()
        };
        self.budget.spend(1)?;
        let put = self
            .bucket
            .put(key.as_str(), bytes)
            .sha256(key.sha256())
            .http_metadata(metadata)
            .only_if(unseen)
            .execute()
            .await;
        match put {
            Ok(Some(_)) => Ok(PutOutcome::Stored),
            Ok(None) => match self.look(key).await? {
                Some(_) => Ok(PutOutcome::AlreadyThere),
                None => Err(BlobError::Failed(format!(
                    "the object {key} was there and is gone: something deletes objects; store it again"
                ))),
            },
            Err(problem) => Err(failed("store", key, &problem)),
        }
    }

    #[worker::send]
    async fn read(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError> {
        self.budget.spend(1)?;
        let found = self.bucket.get(key.as_str()).execute().await;
        let Some(object) = found.map_err(|problem| failed("read", key, &problem))? else { return Ok(None) };
        recognise(&object, key)?;
        let Some(body) = object.body() else {
            return Err(BlobError::Failed(format!("the object {key} came without its bytes; try again")));
        };
        let bytes = body.bytes().await.map_err(|problem| failed("read", key, &problem))?;
        if u64::try_from(bytes.len()) != Ok(object.size()) {
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
        let failed = |action: &str, problem: &worker::Error| {
            BlobError::Failed(format!(
                "cannot {action} {name}: {problem}; check the R2 bucket, and try again"
            ))
        };
        self.budget.spend(3)?;
        let put = self.bucket.put(&name, BYTES.to_vec()).execute().await;
        put.map_err(|problem| failed("store", &problem))?;
        let found = self.bucket.get(&name).execute().await.map_err(|problem| failed("read", &problem));
        let bytes = match found {
            Ok(Some(object)) => match object.body() {
                Some(body) => body.bytes().await.map_err(|problem| failed("read", &problem)),
                None => Ok(Vec::new()),
            },
            Ok(None) => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let deleted = self.bucket.delete(&name).await.map_err(|problem| failed("delete", &problem));
        let bytes = bytes?;
        deleted?;
        if bytes == BYTES {
            return Ok(());
        }
        Err(BlobError::Failed(format!(
            "{name} read back as something else; check the R2 bucket, and try again"
        )))
    }

    /// The object under `key`, without its bytes.
    #[worker::send]
    async fn look(&self, key: &ImageKey) -> Result<Option<Object>, BlobError> {
        self.budget.spend(1)?;
        let found = self.bucket.head(key.as_str()).await;
        let found = found.map_err(|problem| failed("look for", key, &problem))?;
        found.map(|object| recognise(&object, key).map(|()| object)).transpose()
    }
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

/// Makes sure that an object is the one that its key names.
fn recognise(object: &Object, key: &ImageKey) -> Result<(), BlobError> {
    if object.checksum().sha256.as_deref() == Some(key.sha256().as_slice()) {
        return Ok(());
    }
    Err(BlobError::Failed(format!(
        "the object {key} of {} bytes is not the photo that its name promises; \
         delete it or restore it from a backup, then fetch the photo again",
        object.size()
    )))
}

fn failed(action: &str, key: &ImageKey, problem: &worker::Error) -> BlobError {
    BlobError::Failed(format!(
        "cannot {action} the object {key}: {problem}; check the R2 bucket, and try again"
    ))
}
