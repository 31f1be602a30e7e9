//! The check that nothing is half published, photos included.

use fencepost_domain::sorting::sort;
use fencepost_ports::{BlobError, StoreError, Violation};

use crate::Site;

/// How many photos are looked up between two questions to the store.
const PAGE: u32 = 500;

impl Site {
    /// Every violation of an invariant, in order; empty when all is well.
    ///
    /// # Errors
    /// A store that does not answer; or a budget that does not suffice for all photos. Half
    /// a check is none.
    pub async fn verify(&self) -> Result<Vec<Violation>, StoreError> {
        let mut violations = self.verify_without_photos().await?;
        violations.extend(self.missing_photos().await?);
        sort(&mut violations);
        Ok(violations)
    }

    /// Every violation of an invariant that the database alone tells, in order: for a copy of
    /// it whose photos are elsewhere.
    ///
    /// # Errors
    /// A store that does not answer.
    pub async fn verify_without_photos(&self) -> Result<Vec<Violation>, StoreError> {
        let mut violations = self.stores.verifier.violations().await?;
        sort(&mut violations);
        Ok(violations)
    }

    async fn missing_photos(&self) -> Result<Vec<Violation>, StoreError> {
        let mut missing = Vec::new();
        let mut after = None;
        loop {
            let images = self.stores.verifier.referenced_images(after, PAGE).await?;
            let Some(last) = images.last() else { return Ok(missing) };
            after = Some(last.key.clone());
            for image in images {
                let detail = match self.blobs.exists(&image.key).await {
                    Ok(true) => continue,
                    Ok(false) => {
                        "a page or puzzle refers to this photo, and it is not in the image store".to_owned()
                    }
                    Err(BlobError::OverBudget(exhausted)) => return Err(exhausted.into()),
                    Err(error) => error.to_string(),
                };
                missing.push(Violation {
                    rule: "missing_photo".to_owned(),
                    subject: image.key.to_string(),
                    detail,
                    rows: image.rows,
                });
            }
        }
    }
}
