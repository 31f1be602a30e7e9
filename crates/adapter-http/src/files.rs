//! Where the files are that are sent as they are: style sheets, scripts, the icon, and the
//! description of the API.
//!
//! A server carries them within, so that it is one file. A Worker that did would be loaded with
//! them all over the world, for whoever asks for one of them once a year; its platform keeps
//! files beside it.

use async_trait::async_trait;
use axum::body::Bytes;
use fencepost_ports::StoreError;

/// Has the files that are sent as they are, those of this build and no others.
#[async_trait]
pub trait Files: Send + Sync {
    /// The content of the file with this name.
    ///
    /// # Errors
    /// A file that cannot be had just now, told as a store that does not answer is.
    async fn read(&self, name: &'static str) -> Result<Bytes, StoreError>;
}

/// Carries the files within.
#[cfg(feature = "self-contained")]
#[derive(Clone, Copy, Debug)]
pub struct FilesWithin;

#[cfg(feature = "self-contained")]
#[async_trait]
impl Files for FilesWithin {
    async fn read(&self, name: &'static str) -> Result<Bytes, StoreError> {
        macro_rules! within {
            ($($file:literal),*) => {
                match name {
                    $($file => Ok(include_bytes!(concat!(env!("OUT_DIR"), "/", $file)).as_slice().into()),)*
                    _ => Err(StoreError::refused(format!("no file is called {name}"))),
                }
            };
        }
        within!("site.css", "dashboard.css", "game.js", "icon.svg", "openapi.json")
    }
}
