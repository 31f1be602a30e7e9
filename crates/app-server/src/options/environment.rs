//! Which variables of the environment count.
//!
//! A variable that is set to nothing is how shells, unit files and compose files spell
//! "not set", so it counts as that, for every option. `clap` would take it for a value.

use std::env;

use clap::{Arg, Command};

/// The same command, deaf to variables that are empty.
pub(super) fn without_empty_variables(command: Command) -> Command {
    deafened(command, &|argument| {
        argument.get_env().and_then(env::var_os).is_some_and(|value| value.is_empty())
    })
}

/// The same command, itself deaf to the variables of these options.
pub(super) fn without_variables(command: Command, ids: &[String]) -> Command {
    command.mut_args(|argument| {
        if ids.iter().any(|id| argument.get_id() == id.as_str()) { deaf(argument) } else { argument }
    })
}

fn deafened(command: Command, is_deaf: &impl Fn(&Arg) -> bool) -> Command {
    command
        .mut_args(|argument| if is_deaf(&argument) { deaf(argument) } else { argument })
        .mut_subcommands(|command| deafened(command, is_deaf))
}

fn deaf(argument: Arg) -> Arg {
    argument.env(None::<&str>)
}
