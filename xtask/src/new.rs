//! `cargo xtask new PATH`: a site of one's own.
//!
//! The template is a crate of the workspace, so it is compiled, tested and linted with all
//! others, and cannot rot. What makes a crate on its own of it is done here: its name, the
//! versions that it inherits, and where the crates of the kit are (`manifest`). The rest is
//! copied as it is. `--check` holds that a copy works far from here.

mod check;

mod manifest;

mod name;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
};

use anyhow::{Context, bail, ensure};

use crate::steps::output_of;

/// What a site is made from.
const TEMPLATE: &str = "templates/site";

/// What the template is called.
const TEMPLATE_NAME: &str = "fencepost-site";

/// Files of the workspace that a site begins with as well: the versions that are tested here,
/// a compiler that is known to take them, and how its sources are laid out.
const SHARED: &[&str] = &["Cargo.lock", "rust-toolchain.toml", "rustfmt.toml"];

/// What to make.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// A site in this folder.
    At(PathBuf),
    /// One in a folder that is removed again, to see whether it works.
    Check,
}

impl Command {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        if args.contains("--check") {
            return Ok(Self::Check);
        }
        let path: Option<PathBuf> = args.opt_free_from_os_str(|path| io::Result::Ok(PathBuf::from(path)))?;
        let path =
            path.context("say where: cargo xtask new PATH. The last part is what the site is called")?;
        // As it is seen from here: commands run in the root of the workspace.
        Ok(Self::At(std::path::absolute(path).context("there is no current folder")?))
    }

    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Check => check(),
            Self::At(path) => {
                let name = make(&checkout()?, path)?;
                println!("{name} is made in {}. Next:\n", path.display());
                println!("  cd {}", path.display());
                println!("  cargo test");
                println!("  echo 'It is out.' | cargo run -- add hello 2026-01-01T00:00:00Z 'Hello'");
                println!("  cargo run");
                println!("\nREADME.md tells the rest, and how to deploy it as a Worker.");
                Ok(())
            }
        }
    }
}

/// Makes a site, and holds that it works.
pub(crate) fn check() -> anyhow::Result<()> {
    check::run(&checkout()?)
}

/// The root of the workspace, in which every command runs.
fn checkout() -> anyhow::Result<PathBuf> {
    std::env::current_dir().context("there is no current folder")
}

/// Makes a site of the template in `checkout`, and returns its name. What fails leaves nothing
/// behind: the site is put together beside its place.
fn make(checkout: &Path, path: &Path) -> anyhow::Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("{} names no folder", path.display()))?;
    name::check(name, &manifest::dependencies(&read(&checkout.join(TEMPLATE).join("Cargo.toml"))?)?)?;
    let parent = path.parent().with_context(|| format!("{} names no folder", path.display()))?;
    ensure!(parent.is_dir(), "the folder {} does not exist; make it first", parent.display());
    refuse_occupied(path)?;

    let unfinished = parent.join(format!(".{name}.unfinished-{}", process::id()));
    let made = copy(checkout, &unfinished, name).and_then(|()| put_in_place(&unfinished, path));
    if made.is_err() {
        // What failed is told, and not that its remains could not be removed.
        let _ = fs::remove_dir_all(&unfinished);
    }
    made?;
    Ok(name.to_owned())
}

fn refuse_occupied(path: &Path) -> anyhow::Result<()> {
    match fs::read_dir(path) {
        Ok(mut entries) => {
            ensure!(entries.next().is_none(), "{} is not empty, and is left as it is", path.display());
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => bail!("{} is in the way: {error}", path.display()),
    }
}

fn put_in_place(unfinished: &Path, path: &Path) -> anyhow::Result<()> {
    // An empty folder; if it has been filled since, it stays.
    if path.exists() {
        fs::remove_dir(path).with_context(|| format!("{} is in the way", path.display()))?;
    }
    fs::rename(unfinished, path).with_context(|| format!("cannot make {}", path.display()))
}

fn copy(checkout: &Path, to: &Path, name: &str) -> anyhow::Result<()> {
    let template = checkout.join(TEMPLATE);
    for file in files(&template)? {
        let text = read(&template.join(&file))?;
        let text = if file == Path::new("Cargo.toml") {
            manifest::of_site(&text, &read(&checkout.join("Cargo.toml"))?, checkout)?
        } else {
            text
        };
        write(&to.join(&file), &name::renamed(&text, name))?;
    }
    for file in SHARED {
        write(&to.join(file), &read(&checkout.join(file))?)?;
    }
    // A crate of another name stands elsewhere in lists that are sorted.
    output_of(process::Command::new("cargo").arg("fmt").current_dir(to)).map(drop)
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().context("a file stands in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The files of the template, by their paths within it: all but what its `.gitignore` names,
/// which somebody has built or run there.
fn files(template: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let ignored = read(&template.join(".gitignore"))?;
    let is_ignored = |path: &Path| {
        ignored.lines().any(|line| line.strip_prefix('/').is_some_and(|it| path == Path::new(it)))
    };
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let place = template.join(&folder);
        for entry in fs::read_dir(&place).with_context(|| format!("cannot list {}", place.display()))? {
            let entry = entry?;
            let path = folder.join(entry.file_name());
            if is_ignored(&path) {
                continue;
            }
            if entry.file_type()?.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checkout that this is a test of.
    fn here() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
    }

    fn listing(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap();
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn check_refused(checkout: &Path, path: &Path, what: &str) {
        let error = format!("{:#}", make(checkout, path).unwrap_err());
        assert!(error.contains(what), "{}: {error}", path.display());
    }

    #[test]
    fn a_site_is_the_template_under_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my-notices");
        assert_eq!(make(here(), &path).unwrap(), "my-notices");
        assert_eq!(listing(folder.path()), ["my-notices"]);

        let mut expected = files(&here().join(TEMPLATE)).unwrap();
        expected.extend(SHARED.iter().map(PathBuf::from));
        expected.sort();
        assert_eq!(files(&path).unwrap(), expected);
        for file in ["src/lib.rs", "src/worker.rs", "tests/it/main.rs", "wrangler.toml", ".gitignore"] {
            assert!(expected.contains(&PathBuf::from(file)), "{file}");
        }
        for file in expected.iter().filter(|file| **file != Path::new("Cargo.lock")) {
            let text = read(&path.join(file)).unwrap();
            assert!(
                !text.contains("fencepost-site") && !text.contains("fencepost_site"),
                "{}",
                file.display()
            );
            assert!(!text.contains(".workspace = true"), "{}", file.display());
        }
        assert!(read(&path.join("src/main.rs")).unwrap().contains("use my_notices::{"));
        assert!(read(&path.join("wrangler.toml")).unwrap().contains("name = \"my-notices\""));
    }

    #[test]
    fn an_empty_folder_is_taken_and_a_full_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notices");
        fs::create_dir(&path).unwrap();
        make(here(), &path).unwrap();
        let before = read(&path.join("README.md")).unwrap();
        check_refused(here(), &path, "is not empty");
        assert_eq!(read(&path.join("README.md")).unwrap(), before);

        let file = folder.path().join("file");
        fs::write(&file, "mine").unwrap();
        check_refused(here(), &file, "is in the way");
        assert_eq!(read(&file).unwrap(), "mine");
        check_refused(here(), &folder.path().join("none/notices"), "does not exist");
    }

    #[test]
    fn what_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        check_refused(here(), &folder.path().join("My Notices"), "\"My Notices\"");
        check_refused(here(), Path::new("/"), "names no folder");

        // A checkout that ends in the middle: the template is there, and the lock file is not.
        let checkout = tempfile::tempdir().unwrap();
        for file in files(&here().join(TEMPLATE)).unwrap() {
            let file = Path::new(TEMPLATE).join(file);
            write(&checkout.path().join(&file), &read(&here().join(&file)).unwrap()).unwrap();
        }
        fs::copy(here().join("Cargo.toml"), checkout.path().join("Cargo.toml")).unwrap();
        check_refused(checkout.path(), &folder.path().join("notices"), "Cargo.lock");
        assert_eq!(listing(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn what_was_built_in_the_template_is_not_copied() {
        let template = tempfile::tempdir().unwrap();
        let put = |file: &str, text: &str| write(&template.path().join(file), text).unwrap();
        put(".gitignore", "/build\n/site.db\n");
        put("src/build", "");
        for file in ["build/index.js", "build/a/b", "site.db"] {
            put(file, "");
        }
        assert_eq!(
            files(template.path()).unwrap(),
            [PathBuf::from(".gitignore"), PathBuf::from("src/build")]
        );
    }

    #[test]
    fn the_template_builds_its_worker_by_the_version_that_is_tested() {
        let wrangler = read(&here().join(TEMPLATE).join("wrangler.toml")).unwrap();
        let version = crate::setup::WORKER_BUILD;
        assert!(wrangler.contains(&format!("worker-build@{version} ")), "{wrangler}");
    }

    #[test]
    fn a_folder_is_named() {
        let read = |words: &[&str]| {
            let words = words.iter().map(Into::into).collect();
            Command::from_args(&mut pico_args::Arguments::from_vec(words))
        };
        assert_eq!(read(&["--check"]).unwrap(), Command::Check);
        assert_eq!(read(&["/a/notices"]).unwrap(), Command::At(PathBuf::from("/a/notices")));
        let here = std::env::current_dir().unwrap();
        assert_eq!(read(&["notices"]).unwrap(), Command::At(here.join("notices")));
        assert!(read(&[]).unwrap_err().to_string().contains("cargo xtask new PATH"));
    }
}
