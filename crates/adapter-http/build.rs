//! Tells two builds apart that could render anything differently, and puts together the files
//! that are sent as they are, each under the hash of its content.
//!
//! During a deployment two versions of a site run side by side and share a cache. The
//! version number of the package stays the same from commit to commit, so a hash of all
//! that pages are made from is part of every cache key: the sources of the rules, of the
//! queries, of the use cases and of this crate, its templates and its assets. A build that
//! corrects which answers a list shows must not be answered by the entries of one that
//! showed others.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

#[path = "bundles.rs"]
mod bundles;

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
    println!("cargo::rustc-env=FENCEPOST_SOURCES={}", hexadecimal(&hash.finalize()[..6]));

    println!("cargo::rerun-if-changed=bundles.rs");
    for (name, content) in bundles::bundles(Path::new("assets"))? {
        // A short one where it is part of an address.
        let bytes = if name == "openapi.json" { 16 } else { 8 };
        let hash = hexadecimal(&Sha256::digest(&content)[..bytes]);
        println!("cargo::rustc-env=FENCEPOST_{}={hash}", name.replace('.', "_").to_uppercase());
        fs::write(Path::new(&env::var("OUT_DIR")?).join(name), content)?;
    }
    Ok(())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
