//! Photos: named after their content, fetched within limits.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The kinds of image that the site serves. SVG is not among them: it can carry script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ImageFormat {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// WebP.
    Webp,
    /// AVIF.
    Avif,
    /// GIF.
    Gif,
}

impl ImageFormat {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Jpeg, Self::Png, Self::Webp, Self::Avif, Self::Gif];

    /// Its media type.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Webp => "image/webp",
            Self::Avif => "image/avif",
            Self::Gif => "image/gif",
        }
    }

    /// The ending of its keys.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Webp => "webp",
            Self::Avif => "avif",
            Self::Gif => "gif",
        }
    }

    /// The format that the bytes really have, whatever a header claims.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xFF, 0xD8, 0xFF, ..] => Some(Self::Jpeg),
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', ..] => Some(Self::Png),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => Some(Self::Avif),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            _ => None,
        }
    }
}

/// The name of a stored image: the SHA-256 of its bytes in lower-case hexadecimal,
/// and its format as an ending, such as `9f86…0a08.webp`.
///
/// A name made from the content can be written by any number of workers at once:
/// whoever comes second finds the same bytes in place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ImageKey(String);

impl ImageKey {
    /// The key of content with this SHA-256 digest and format.
    pub fn new(sha256: [u8; 32], format: ImageFormat) -> Self {
        use fmt::Write;
        let mut key = String::with_capacity(70);
        for byte in sha256 {
            write!(key, "{byte:02x}").expect("writing to a string cannot fail");
        }
        key.push('.');
        key.push_str(format.extension());
        Self(key)
    }

    /// The key as it is stored and addressed.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The digest that the key is made from.
    pub fn sha256(&self) -> [u8; 32] {
        std::array::from_fn(|i| {
            u8::from_str_radix(&self.0[2 * i..2 * i + 2], 16)
                .expect("a key begins with 64 hexadecimal digits")
        })
    }

    /// The format that the ending tells.
    pub fn format(&self) -> ImageFormat {
        format_of(&self.0).expect("a key is made with the ending of a known format")
    }
}

impl FromStr for ImageKey {
    type Err = InvalidImageKey;

    fn from_str(text: &str) -> Result<Self, InvalidImageKey> {
        let digest = text.split('.').next().unwrap_or_default();
        let lower_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if digest.len() == 64 && digest.bytes().all(lower_hex) && format_of(text).is_some() {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidImageKey(text.to_owned()))
        }
    }
}

impl TryFrom<String> for ImageKey {
    type Error = InvalidImageKey;

    fn try_from(text: String) -> Result<Self, InvalidImageKey> {
        text.parse()
    }
}

impl From<ImageKey> for String {
    fn from(key: ImageKey) -> String {
        key.0
    }
}

impl fmt::Display for ImageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A text that names no image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an image key: 64 hexadecimal digits and the ending of a known format")]
pub struct InvalidImageKey(String);

fn format_of(key: &str) -> Option<ImageFormat> {
    let (_, extension) = key.split_once('.')?;
    ImageFormat::ALL.into_iter().find(|format| format.extension() == extension)
}

/// What the ledger of images knows of one puzzle's photo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceImage {
    /// The address it was fetched from. Ready means that it equals the puzzle's.
    pub image_url: String,
    /// How far it got.
    pub state: ImageState,
    /// The stored object, once ready.
    pub object_key: Option<ImageKey>,
    /// Its size in bytes, once ready.
    pub bytes: Option<i64>,
    /// Why the last fetch failed.
    pub error: Option<String>,
}

impl SourceImage {
    /// The stored object, if it is that of `image_url`.
    pub fn ready_for(&self, image_url: &str) -> Option<&ImageKey> {
        (self.state == ImageState::Ready && self.image_url == image_url)
            .then_some(self.object_key.as_ref())
            .flatten()
    }
}

/// How far the photo of a puzzle got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageState {
    /// Stored.
    Ready,
    /// The last fetch failed.
    Failed,
}

impl ImageState {
    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }
}

impl FromStr for ImageState {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Ready, Self::Failed].into_iter().find(|state| state.as_str() == text).ok_or(())
    }
}

/// Why a photo could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchFailure {
    /// Whether trying again later can help.
    pub kind: FailureKind,
    /// What happened.
    pub message: String,
}

/// Whether a failure may pass by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A later attempt may succeed: a timeout, an overloaded server.
    Passing,
    /// Only a change of the bank can help: not found, not an image, too large.
    Permanent,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_its_format_and_reads_back() {
        let digest = std::array::from_fn(|i| [0x00, 0x0F, 0xAB, 0xFF][i % 4]);
        for format in ImageFormat::ALL {
            let key = ImageKey::new(digest, format);
            assert_eq!(key.as_str().parse(), Ok(key.clone()));
            assert_eq!(key.to_string(), key.as_str());
            assert_eq!(ImageKey::try_from(String::from(key.clone())), Ok(key.clone()));
            assert_eq!(key.format(), format);
            assert_eq!(key.sha256(), digest);
        }
    }

    #[test]
    fn keys_that_could_escape_a_folder_are_refused() {
        let hex = "a".repeat(64);
        for text in [
            "",
            "../../etc/passwd",
            &hex,
            &format!("{hex}.svg"),
            &format!("{hex}.png/x"),
            &format!("{}.png", hex.to_uppercase()),
            &format!("{hex}.png.png"),
            &format!("{hex}a.png"),
            &format!("{}.png", &hex[1..]),
        ] {
            assert!(text.parse::<ImageKey>().is_err(), "{text:?} was accepted");
        }
    }

    #[test]
    fn the_bytes_decide_the_format() {
        assert_eq!(ImageFormat::sniff(b"\xFF\xD8\xFF\xE0rest"), Some(ImageFormat::Jpeg));
        assert_eq!(ImageFormat::sniff(b"\x89PNG\r\n\x1A\nrest"), Some(ImageFormat::Png));
        assert_eq!(ImageFormat::sniff(b"RIFF\0\0\0\0WEBPVP8 "), Some(ImageFormat::Webp));
        for brand in [b"\0\0\0\x20ftypavif", b"\0\0\0\x20ftypavis"] {
            assert_eq!(ImageFormat::sniff(brand), Some(ImageFormat::Avif));
        }
        for version in [b"GIF87arest", b"GIF89arest"] {
            assert_eq!(ImageFormat::sniff(version), Some(ImageFormat::Gif));
        }
        assert_eq!(ImageFormat::sniff(b"RIFF\0\0\0\0WAVEfmt "), None);
        assert_eq!(ImageFormat::sniff(b"\0\0\0\x20ftypisom"), None);
        assert_eq!(ImageFormat::sniff(b"<svg xmlns="), None);
        assert_eq!(ImageFormat::sniff(b"<!doctype html>"), None);
        assert_eq!(ImageFormat::sniff(b""), None);
    }

    #[test]
    fn a_photo_is_served_as_what_it_is() {
        assert_eq!(
            ImageFormat::ALL.map(|format| (format.extension(), format.content_type())),
            [
                ("jpg", "image/jpeg"),
                ("png", "image/png"),
                ("webp", "image/webp"),
                ("avif", "image/avif"),
                ("gif", "image/gif"),
            ]
        );
    }

    #[test]
    fn a_photo_is_ready_for_the_address_that_it_was_fetched_from() {
        let key = ImageKey::new([7; 32], ImageFormat::Png);
        let stored = SourceImage {
            image_url: "https://a.example/1".to_owned(),
            state: ImageState::Ready,
            object_key: Some(key.clone()),
            bytes: Some(9),
            error: None,
        };
        assert_eq!(stored.ready_for("https://a.example/1"), Some(&key));
        assert_eq!(stored.ready_for("https://a.example/2"), None);
        let failed = SourceImage { state: ImageState::Failed, ..stored };
        assert_eq!(failed.ready_for("https://a.example/1"), None);
    }
}
