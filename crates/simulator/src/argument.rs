//! What `docs/correctness.md` lists, from where it is decided.
//!
//! The argument that a publication happens once is prose. What it rests on is not: which
//! clauses there are, what each prevents, what must hold after every step and what may go
//! wrong stand in the simulator, and the document repeats them. So the document's lists are
//! rendered here, and a test compares.

use std::fmt::Write;

use crate::{
    Fault, Rule,
    mutants::{Mutation, Part, catalogue, proof},
};

/// A line of a table: clauses that prevent the same, and have the same test.
struct Line {
    danger: &'static str,
    clauses: Vec<String>,
    behind: Option<&'static str>,
    test: &'static str,
}

/// The clauses of every part as tables. `file_of` says where a test is found.
///
/// # Panics
/// If no test is named for a clause.
pub fn clauses(file_of: impl Fn(&str) -> String) -> String {
    let all = catalogue();
    let mut text = String::new();
    for part in Part::ALL {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "### {}\n", capitalized(part.as_str()));
        text.push_str(
            "| what could go wrong | the clause that prevents it | in front of it | its test |\n\
             |---|---|---|---|\n",
        );
        for line in lines(all.iter().filter(|it| it.part == part)) {
            let Line { danger, clauses, behind, test } = line;
            let name = test.split_once("::").map_or(test, |(_, name)| name);
            let (clauses, behind) = (joined(&clauses), behind.unwrap_or_default());
            let _ = writeln!(text, "| {danger} | {clauses} | {behind} | [`{name}`]({}) |", file_of(test));
        }
    }
    text
}

/// What must hold after every step, as a list.
pub fn rules() -> String {
    Rule::ALL.iter().map(|rule| format!("- {}\n", rule.as_str())).collect()
}

/// What may go wrong, as a list: a line for each thing that it happens to.
pub fn faults() -> String {
    let mut text = String::new();
    let mut last = "";
    for fault in Fault::ALL {
        let (whom, what) = fault.as_str().split_once(": ").unwrap_or(("", fault.as_str()));
        let opening = match (whom == last, text.is_empty()) {
            (true, _) => "; ".to_owned(),
            (false, true) => format!("- {whom}: "),
            (false, false) => format!("\n- {whom}: "),
        };
        text.push_str(&opening);
        text.push_str(what);
        last = whom;
    }
    text.push('\n');
    text
}

fn lines<'a>(mutations: impl Iterator<Item = &'a Mutation>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for it in mutations {
        let (behind, test) = (it.behind.as_ref().map(|line| line.name), proof(it.part, &it.clause));
        let same = |line: &&mut Line| (line.danger, line.behind, line.test) == (it.danger, behind, test);
        match lines.iter_mut().find(same) {
            Some(line) => line.clauses.push(it.clause.clone()),
            None => {
                lines.push(Line { danger: it.danger, clauses: vec![it.clause.clone()], behind, test });
            }
        }
    }
    lines
}

/// `publish: due` and `update: due` as `publish, update: due`.
fn joined(clauses: &[String]) -> String {
    let mut cells: Vec<(Vec<&str>, &str)> = Vec::new();
    for clause in clauses {
        let (whose, what) = clause.split_once(": ").unwrap_or(("", clause));
        match cells.iter_mut().find(|(_, it)| *it == what) {
            Some((owners, _)) => owners.push(whose),
            None => cells.push((vec![whose], what)),
        }
    }
    let cell = |(owners, what): (Vec<&str>, &str)| match owners.as_slice() {
        [""] => what.to_owned(),
        owners => format!("{}: {what}", owners.join(", ")),
    };
    cells.into_iter().map(cell).collect::<Vec<_>>().join("<br>")
}

fn capitalized(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
