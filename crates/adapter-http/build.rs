//! Tells two builds apart that could render anything differently, and packs the description
//! of the API.
//!
//! During a deployment two versions of a site run side by side and share a cache. The
//! version number of the package stays the same from commit to commit, so a hash of all
//! that pages are made from is part of every cache key: the sources of the rules, of the
//! queries, of the use cases and of this crate, its templates and its assets. A build that
//! corrects which answers a list shows must not be answered by the entries of one that
//! showed others.
//!
//! The description is laid out for people, and blanks are a fourth of it. Programs read it
//! without, and a Worker carries it without.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

const FOLDERS: [&str; 7] =
    ["assets", "src", "templates", "../application/src", "../domain/src", "../ports/src", "../sql/src"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut hash = Sha256::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        let mut files = Vec::new();
        collect(Path::new(folder), &mut files)?;
        files.sort();
        for file in files {
            let content = fs::read(&file)?;
            hash.update(file.to_string_lossy().as_bytes());
            hash.update(content.len().to_le_bytes());
            hash.update(content);
        }
    }
    let hash: String = hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=FENCEPOST_SOURCES={hash}");

    let packed = Path::new(&env::var("OUT_DIR")?).join("openapi.json");
    fs::write(packed, without_blanks(&fs::read_to_string("assets/openapi.json")?))?;
    Ok(())
}

/// JSON without the blanks and line ends that stand outside of texts.
fn without_blanks(json: &str) -> String {
    let (mut in_text, mut is_escaped) = (false, false);
    let is_kept = |character: &char| {
        if is_escaped {
            is_escaped = false;
        } else if *character == '\\' {
            is_escaped = true;
        } else if *character == '"' {
            in_text = !in_text;
        }
        in_text || !character.is_ascii_whitespace()
    };
    json.chars().filter(is_kept).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
