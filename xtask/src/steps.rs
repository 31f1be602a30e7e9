//! Steps that run one after the other, each with a headline and the time it took.

use std::{
    fmt,
    io::Write,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

/// A row of steps, of which the first that fails is the last.
pub(crate) struct Steps {
    started: Instant,
    passed: usize,
}

impl Steps {
    pub(crate) fn start() -> Self {
        Self { started: now(), passed: 0 }
    }

    /// Runs a step. `rerun` is the command that repeats it alone.
    pub(crate) fn step(
        &mut self,
        name: &str,
        rerun: impl fmt::Display,
        work: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let number = self.passed + 1;
        println!("\n== {number}. {name}: {rerun}");
        std::io::stdout().flush()?;
        let started = now();
        let result = work();
        let took = Seconds(started.elapsed());
        if let Err(error) = result {
            bail!("step {number} ({name}) failed after {took}: {error:#}\nto run it alone: {rerun}");
        }
        println!("== {number}. {name}: passed in {took}");
        self.passed += 1;
        Ok(())
    }

    /// Runs a step that is one command.
    pub(crate) fn command(&mut self, name: &str, line: CommandLine) -> anyhow::Result<()> {
        let rerun = line.to_string();
        self.step(name, rerun, || line.run())
    }

    /// The closing line.
    pub(crate) fn finish(self) {
        println!("\n== all {} steps passed in {}", self.passed, Seconds(self.started.elapsed()));
    }
}

/// A command with its arguments and the variables that it needs.
pub(crate) struct CommandLine {
    variables: Vec<(&'static str, String)>,
    words: Vec<String>,
}

impl CommandLine {
    /// A command of plain words, written as on a terminal.
    pub(crate) fn new(line: &str) -> Self {
        Self { variables: Vec::new(), words: line.split_whitespace().map(str::to_owned).collect() }
    }

    pub(crate) fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    pub(crate) fn to_command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self) -> anyhow::Result<()> {
        run_to_success(&mut self.to_command())
    }
}

/// Runs a command; an end without success is an error.
pub(crate) fn run_to_success(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status();
    let program = command.get_program().display();
    let status = status.with_context(|| format!("cannot start {program}"))?;
    if status.success() { Ok(()) } else { bail!("{program} ended with {status}") }
}

/// Runs a command that nobody wants to watch, and returns what it said. An end without
/// success is an error that says it.
pub(crate) fn output_of(command: &mut Command) -> anyhow::Result<String> {
    let output = command.stdin(Stdio::null()).output();
    let program = command.get_program().display();
    let output = output.with_context(|| format!("cannot start {program}"))?;
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(output.status.success(), "{program} ended with {}, and said:\n{said}", output.status);
    Ok(said)
}

/// Lets a command take the place of this process, so that signals reach it alone and its
/// end is the end.
#[cfg(unix)]
pub(crate) fn replace_with(command: &mut Command) -> anyhow::Result<()> {
    let error = std::os::unix::process::CommandExt::exec(command);
    Err(error).with_context(|| format!("cannot start {}", command.get_program().display()))
}

#[cfg(not(unix))]
pub(crate) use run_to_success as replace_with;

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            if value.contains(' ') {
                write!(f, "{name}='{value}' ")?;
            } else {
                write!(f, "{name}={value} ")?;
            }
        }
        f.write_str(&self.words.join(" "))
    }
}

struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs_f64();
        if seconds < 60.0 {
            write!(f, "{seconds:.1} s")
        } else {
            write!(f, "{} min {} s", self.0.as_secs() / 60, self.0.as_secs() % 60)
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the time that a step took is for people and decides nothing")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_names_the_command_that_repeats_it() {
        let mut steps = Steps::start();
        steps.step("first", "true", || Ok(())).unwrap();
        let error =
            steps.command("second", CommandLine::new("false").variable("TZ", "Etc/GMT+12")).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with("step 2 (second) failed after "), "{message}");
        assert!(message.ends_with("to run it alone: TZ=Etc/GMT+12 false"), "{message}");
    }

    #[test]
    fn a_command_that_nobody_watches_says_what_went_wrong() {
        assert_eq!(output_of(Command::new("echo").arg("done")).unwrap(), "done\n");
        let error = output_of(Command::new("ls").arg("/no/such/folder")).unwrap_err().to_string();
        assert!(error.contains("ls ended with") && error.contains("/no/such/folder"), "{error}");
    }

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let line = CommandLine::new("cargo doc  --no-deps").variable("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(line.to_string(), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn times_are_short() {
        assert_eq!(Seconds(Duration::from_millis(1_240)).to_string(), "1.2 s");
        assert_eq!(Seconds(Duration::from_secs(185)).to_string(), "3 min 5 s");
    }
}
