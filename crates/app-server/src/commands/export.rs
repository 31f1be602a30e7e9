//! `export`: everything of a kind, to standard output or into a file.
//!
//! It is read and written page by page, so that the longest bank takes no more memory than a
//! short one. A file is written beside its place, and moved there when all of it is on the
//! disk: whoever finds it there finds all of it, and an export that failed leaves the one
//! before it alone. Whatever is there and is no file, such as a device or a pipe, would be
//! gone then, and a link would be one no more: so these are refused.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use fencepost_application::{ExportFormat, Site, export_header};
use fencepost_domain::export::Export;

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::CommonOptions,
    output::plural,
};

/// Exports one kind of rows.
pub(crate) async fn export(
    options: &CommonOptions,
    export: Export,
    format: ExportFormat,
    output: Option<&Path>,
) -> Result<ExitCode, Failure> {
    let Composed { site, store } = compose::open_existing(options, &options.places(false)).await?;
    let written = match output {
        None => write(&site, export, format, &mut io::stdout(), to_stdout).await.map(drop),
        Some(place) => write_file(&site, export, format, place).await,
    };
    store.runner().close().await;
    written.map(|()| ExitCode::SUCCESS)
}

async fn write_file(site: &Site, export: Export, format: ExportFormat, place: &Path) -> Result<(), Failure> {
    let failed = |error: io::Error| {
        Failure::fault(format!(
            "nothing was exported: cannot write {}: {error}; choose another --output, or leave it out and take standard output",
            place.display()
        ))
    };
    let mut partial = Partial::beside(place).map_err(failed)?;
    let rows = write(site, export, format, &mut partial.file, failed).await?;
    partial.complete(place).map_err(failed)?;
    eprintln!("exported {} of the {export} to {}", plural(rows, "row"), place.display());
    Ok(())
}

/// Writes all of it, and returns how many rows that were.
async fn write(
    site: &Site,
    export: Export,
    format: ExportFormat,
    out: &mut (impl Write + Send),
    failed: impl Fn(io::Error) -> Failure,
) -> Result<usize, Failure> {
    let mut rows = 0;
    let mut after = Some(0);
    out.write_all(export_header(export, format).as_bytes()).map_err(&failed)?;
    while let Some(key) = after {
        let page = site.export_page(export, format, key).await?;
        out.write_all(page.text.as_bytes()).map_err(&failed)?;
        rows += page.rows;
        after = page.next;
    }
    out.flush().map_err(&failed)?;
    Ok(rows)
}

fn to_stdout(error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::unheard(),
        _ => Failure::fault(format!("cannot write to standard output: {error}; check where it leads")),
    }
}

/// A file that is being written, and goes away with this value unless it is completed.
struct Partial {
    file: BufWriter<File>,
    path: PathBuf,
    is_complete: bool,
}

impl Partial {
    fn beside(place: &Path) -> io::Result<Self> {
        let name =
            place.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it names no file"))?;
        replaceable(place)?;
        let mut partial = OsString::from(".");
        partial.push(name);
        partial.push(format!(".{}.partial", std::process::id()));
        let path = place.with_file_name(partial);
        let file = create_private(&path)?;
        Ok(Self { file: BufWriter::new(file), path, is_complete: false })
    }

    /// Moves it to its place, when the disk has it.
    fn complete(mut self, place: &Path) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        replaceable(place)?;
        fs::rename(&self.path, place)?;
        self.is_complete = true;
        Ok(())
    }
}

/// Only a file may be replaced, or nothing.
fn replaceable(place: &Path) -> io::Result<()> {
    let kind = match fs::symlink_metadata(place) {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if kind.is_file() {
        return Ok(());
    }
    let why = if kind.is_symlink() {
        "it is a symbolic link, which is neither followed nor replaced"
    } else {
        "it is no regular file, and nothing else is replaced"
    };
    Err(io::Error::new(ErrorKind::InvalidInput, why))
}

/// A new file for the eyes of its owner alone: an export is as secret as the admin token.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.is_complete {
            // Whoever is told of the failure can do nothing about this one.
            let _ = fs::remove_file(&self.path);
        }
    }
}
