//! `cargo xtask setup`: what a Worker needs beyond the compiler.
//!
//! Left to itself, `worker-build` downloads its helpers wherever it finds them, at the
//! version that it likes. Here every program comes from a package registry, at a version
//! that stands in this repository, and is kept outside of `target`, since building the
//! programs takes longer than anything that `cargo clean` is meant to repeat.

mod apt;

mod chromium;
pub(crate) use chromium::chromium;

mod python;
pub(crate) use python::python_programs;

mod wrk;
pub(crate) use wrk::wrk;

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, anyhow, bail, ensure};
use cargo_metadata::MetadataCommand;

use crate::steps::{CommandLine, run_to_success};

/// The target of a Worker.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Where the programs that Node runs stand, and its packages.
pub(crate) const NODE_FOLDER: &str = "xtask/workerd";

/// The version of `worker-build`, which goes with that of the crate `worker`.
pub(crate) const WORKER_BUILD: &str = "0.8.7";

/// The version of `cargo-mutants`: another one may make other changes.
const CARGO_MUTANTS: &str = "27.1.0";

/// The oldest Node that all packages of [`NODE_FOLDER`] run on.
const OLDEST_NODE: [u32; 3] = [20, 19, 0];

/// Installs whatever is missing, and says what there is.
pub(crate) fn run() -> anyhow::Result<()> {
    // Before the tools, which take minutes: what is missing here may need a person.
    println!("{} is the browser", chromium()?.display());
    println!("the programs in {} are installed", python_programs()?.display());
    let tools = Tools::ready()?;
    println!("the standard library for {WASM} is installed");
    println!("{} and {} are installed", tools.worker_build.display(), tools.wasm_bindgen.display());
    println!("the Node packages of {NODE_FOLDER} are installed");
    Ok(())
}

/// The programs that build a Worker, all installed.
pub(crate) struct Tools {
    worker_build: PathBuf,
    wasm_bindgen: PathBuf,
    pub(crate) node: NodePackages,
}

impl Tools {
    /// Installs whatever is missing. Says nothing if nothing is.
    pub(crate) fn ready() -> anyhow::Result<Self> {
        // What fails at once comes first, and what takes long comes last.
        let node = NodePackages::ready()?;
        wasm_target()?;
        let home = home()?;
        let wasm_bindgen = wasm_bindgen_version()?;
        Ok(Self {
            worker_build: installed(&home, &Program::worker_build())?,
            wasm_bindgen: installed(&home, &Program::wasm_bindgen(wasm_bindgen))?,
            node,
        })
    }

    /// The command that builds the Worker in `folder` into its subfolder `build`.
    pub(crate) fn worker_build(&self, folder: &str) -> Command {
        let mut command = Command::new(&self.worker_build);
        command
            .current_dir(folder)
            .env("WASM_BINDGEN_BIN", &self.wasm_bindgen)
            .env("ESBUILD_BIN", self.node.program("esbuild"))
            .env("WASM_OPT_BIN", self.node.program("wasm-opt"));
        command
    }
}

/// The program that changes the rules, installed. It is not among the [`Tools`]: one command
/// needs it, which few people run, so it is installed by that command alone.
pub(crate) fn cargo_mutants() -> anyhow::Result<PathBuf> {
    installed(&home()?, &Program::cargo_mutants())
}

/// Node and its packages, installed: enough to run a Worker, and to ask wrangler.
pub(crate) struct NodePackages {
    /// The folder of their programs.
    programs: PathBuf,
}

impl NodePackages {
    /// Installs whatever is missing. Says nothing if nothing is.
    pub(crate) fn ready() -> anyhow::Result<Self> {
        check_node()?;
        Ok(Self { programs: node_packages()? })
    }

    fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// The pinned wrangler, which reports to nobody and looks for no newer self.
    pub(crate) fn wrangler(&self) -> Command {
        let mut command = Command::new(self.program("wrangler"));
        command
            .env("WRANGLER_SEND_METRICS", "false")
            .env("WRANGLER_HIDE_BANNER", "true")
            // What a request would look like on Cloudflare is of no interest here.
            .env("CLOUDFLARE_CF_FETCH_ENABLED", "false");
        command
    }
}

/// Sees to it that the compiler can build for the Worker's target. rustup usually has:
/// the target stands in `rust-toolchain.toml`.
fn wasm_target() -> anyhow::Result<()> {
    if has_wasm()? {
        return Ok(());
    }
    let added = CommandLine::new(&format!("rustup target add {WASM}")).run();
    if let Err(error) = added {
        bail!(
            "{error:#}\nThe standard library for {WASM} is missing and rustup could not add it. \
             Check that rustup can reach its server, or build the library from the compiler's own \
             sources (`-Zbuild-std`) and copy it to where `rustc --print target-libdir --target {WASM}` says."
        );
    }
    ensure!(has_wasm()?, "rustup reports success, but the standard library for {WASM} is still missing");
    Ok(())
}

fn has_wasm() -> anyhow::Result<bool> {
    let output = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", WASM])
        .output()
        .context("cannot start rustc")?;
    let folder = String::from_utf8(output.stdout).context("rustc names a folder that is not UTF-8")?;
    let Ok(entries) = Path::new(folder.trim()).read_dir() else { return Ok(false) };
    let mut names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    Ok(names.any(|name| name.to_string_lossy().starts_with("libcore-")))
}

fn check_node() -> anyhow::Result<()> {
    let [major, minor, patch] = OLDEST_NODE;
    let advice = format!(
        "The tests on D1 run inside workerd, which a program in {NODE_FOLDER} starts. \
         Install Node.js {major}.{minor}.{patch} or later, so that `node` and `npm` are on the PATH."
    );
    let output = Command::new("node").arg("--version").output();
    let output = output.map_err(|error| anyhow!("cannot start node: {error}\n{advice}"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    ensure!(is_recent(&version), "node is at version {version:?}\n{advice}");
    Ok(())
}

/// Whether a version such as `v20.20.2` is not too old.
fn is_recent(version: &str) -> bool {
    let parts = version.trim_start_matches('v').split(['.', '-']).map_while(|part| part.parse().ok());
    let parts: Vec<u32> = parts.take(3).collect();
    parts.len() == 3 && parts[..] >= OLDEST_NODE[..]
}

/// Sees to it that `node_modules` is what the lock file says, and returns the folder of
/// the programs therein.
fn node_packages() -> anyhow::Result<PathBuf> {
    let folder = Path::new(NODE_FOLDER);
    let modules = folder.join("node_modules");
    // `npm ci` begins by removing the folder, so the copy is there only after a whole one.
    let copy = modules.join(".installed-package-lock.json");
    let lock = folder.join("package-lock.json");
    let wanted = fs::read(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    if !fs::read(&copy).is_ok_and(|installed| installed == wanted) {
        println!(
            "installing the Node packages of {NODE_FOLDER}: workerd, what starts and fills it, and what judges pages"
        );
        run_to_success(Command::new("npm").arg("ci").current_dir(folder)).map_err(|error| {
            anyhow!(
                "{error:#}\nThe Node packages could not be installed. Check that `npm ci` in {NODE_FOLDER} \
                 reaches the package registry. If it complains of the lock file, run `npm install` there \
                 and look at what changed."
            )
        })?;
        fs::write(&copy, wanted).with_context(|| format!("cannot write {}", copy.display()))?;
    }
    std::path::absolute(modules.join(".bin")).context("there is no current folder")
}

/// The folder of programs that outlive `target`.
fn home() -> anyhow::Result<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = home_among(variable("FENCEPOST_TOOLS"), variable("XDG_CACHE_HOME"), env::home_dir());
    let folder = folder.context("there is no home folder; say in FENCEPOST_TOOLS where to keep programs")?;
    std::path::absolute(folder).context("there is no current folder")
}

fn home_among(own: Option<PathBuf>, cache: Option<PathBuf>, user: Option<PathBuf>) -> Option<PathBuf> {
    // A relative cache folder is to be taken for none, says the standard that has the variable.
    let cache = cache.filter(|folder| folder.is_absolute()).or_else(|| Some(user?.join(".cache")));
    own.or_else(|| Some(cache?.join("fencepost").join("tools")))
}

/// The version of wasm-bindgen in `Cargo.lock`: program and library understand each other
/// only if they are of the same version.
fn wasm_bindgen_version() -> anyhow::Result<String> {
    let metadata = MetadataCommand::new()
        .other_options(["--locked", "--filter-platform", WASM].map(str::to_owned))
        .exec()
        .context("cargo cannot read the workspace")?;
    let mut found = metadata.packages.iter().filter(|package| package.name.as_str() == "wasm-bindgen");
    let package = found.next().context("Cargo.lock has no wasm-bindgen")?;
    ensure!(found.next().is_none(), "Cargo.lock has wasm-bindgen more than once");
    Ok(package.version.to_string())
}

/// A program that cargo builds from the sources of a package.
struct Program {
    name: &'static str,
    package: &'static str,
    version: String,
    /// What it is good for, as the end of a sentence that begins with it.
    purpose: &'static str,
    /// Whether to build with the lock file of the package.
    is_locked: bool,
}

impl Program {
    fn worker_build() -> Self {
        Self {
            name: "worker-build",
            package: "worker-build",
            version: WORKER_BUILD.to_owned(),
            purpose: "builds the Worker",
            is_locked: true,
        }
    }

    fn wasm_bindgen(version: String) -> Self {
        Self {
            name: "wasm-bindgen",
            package: "wasm-bindgen-cli",
            version,
            purpose: "builds the Worker",
            is_locked: false,
        }
    }

    fn cargo_mutants() -> Self {
        Self {
            name: "cargo-mutants",
            package: "cargo-mutants",
            version: CARGO_MUTANTS.to_owned(),
            purpose: "changes the rules, to see whether a test notices",
            is_locked: true,
        }
    }

    fn path(&self, root: &Path) -> PathBuf {
        root.join("bin").join(format!("{}{}", self.name, env::consts::EXE_SUFFIX))
    }

    /// The command that installs this program below `root`.
    fn install(&self, root: &Path) -> Command {
        let mut command = Command::new("cargo");
        command
            .args(["install", self.package, "--version", &format!("={}", self.version), "--bin", self.name])
            .arg("--root")
            .arg(root)
            .arg("--target-dir")
            .arg(root.join("target"))
            // They have little to do themselves: what takes time is their own building.
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            // Without a lock file, a dependency may have moved on to a newer compiler.
            .env("CARGO_RESOLVER_INCOMPATIBLE_RUST_VERSIONS", "fallback");
        if self.is_locked {
            command.arg("--locked");
        }
        command
    }
}

/// Where a program stands, after it was installed if need be.
fn installed(home: &Path, program: &Program) -> anyhow::Result<PathBuf> {
    let Program { name, package, version, purpose, .. } = program;
    let root = home.join(format!("{name}-{version}"));
    let path = program.path(&root);
    if path.is_file() {
        return Ok(path);
    }
    fs::create_dir_all(home).with_context(|| format!("cannot make {}", home.display()))?;
    // The second of two processes waits, and finds the work done.
    let lock = File::create(home.join(".lock")).context("cannot make a lock file")?;
    if lock.try_lock().is_err() {
        println!("waiting for another process that installs into {}", home.display());
        lock.lock().context("cannot wait for the lock")?;
    }
    if path.is_file() {
        return Ok(path);
    }

    println!(
        "installing {name} {version} into {}: it {purpose}. \
         This takes a few minutes, and is done once",
        root.display()
    );
    // An installation that was interrupted is not taken for a whole one, and goes on
    // where it stopped.
    let unfinished = home.join(format!(".unfinished-{name}-{version}"));
    run_to_success(&mut program.install(&unfinished)).map_err(|error| {
        anyhow!(
            "{error:#}\n{package} {version} could not be installed. Check that cargo reaches the package \
             registry and finds a linker, and run the command again: it goes on where it stopped. \
             If something in {} is broken, remove that folder. \
             If you have the program already, put it at {}.",
            unfinished.display(),
            path.display()
        )
    })?;
    // What only the build needed, and whatever stands in the place without being the program.
    for folder in [&unfinished.join("target"), &root] {
        if folder.exists() {
            fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
    }
    fs::rename(&unfinished, &root).with_context(|| format!("cannot make {}", root.display()))?;
    ensure!(path.is_file(), "cargo reports success, but there is no {}", path.display());
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_kept_where_the_variables_say() {
        let check = |own: Option<&str>, cache: Option<&str>, user: Option<&str>, expected: Option<&str>| {
            let found = home_among(own.map(PathBuf::from), cache.map(PathBuf::from), user.map(PathBuf::from));
            assert_eq!(found, expected.map(PathBuf::from));
        };
        check(Some("/own"), Some("/cache"), Some("/me"), Some("/own"));
        check(None, Some("/cache"), Some("/me"), Some("/cache/fencepost/tools"));
        check(None, Some("cache"), Some("/me"), Some("/me/.cache/fencepost/tools"));
        check(None, None, Some("/me"), Some("/me/.cache/fencepost/tools"));
        check(Some("/own"), None, None, Some("/own"));
        check(None, Some("/cache"), None, Some("/cache/fencepost/tools"));
        check(None, None, None, None);
    }

    #[test]
    fn an_old_node_is_told_from_a_recent_one() {
        for version in ["v20.19.0", "v20.20.1", "v22.1.0", "v26.0.0-nightly"] {
            assert!(is_recent(version), "{version}");
        }
        for version in ["v20.18.1", "v18.20.4", "v20.19", "", "what"] {
            assert!(!is_recent(version), "{version}");
        }
    }

    #[test]
    fn a_program_is_installed_at_its_version_and_nowhere_else() {
        let words = |program: &Program| {
            let command = program.install(Path::new("/tools/.unfinished"));
            let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy().into_owned()).collect();
            words.join(" ")
        };
        assert_eq!(
            words(&Program::worker_build()),
            "install worker-build --version =0.8.7 --bin worker-build \
             --root /tools/.unfinished --target-dir /tools/.unfinished/target --locked"
        );
        assert_eq!(
            words(&Program::cargo_mutants()),
            "install cargo-mutants --version =27.1.0 --bin cargo-mutants \
             --root /tools/.unfinished --target-dir /tools/.unfinished/target --locked"
        );
        assert_eq!(
            words(&Program::wasm_bindgen("0.2.130".to_owned())),
            "install wasm-bindgen-cli --version =0.2.130 --bin wasm-bindgen \
             --root /tools/.unfinished --target-dir /tools/.unfinished/target"
        );
    }
}
