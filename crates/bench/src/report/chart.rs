//! The chart for the README: a few cases, and for each how its subjects stand side by side.

use svg::{
    Document,
    node::element::{Group, Rectangle, Style, Text, Title},
};

use crate::figures::{Figure, Part};

/// What is shown: a part, a case, a unit, and how the case is called.
const SHOWN: &[(&str, &str, &str, &str)] = &[
    (
        "serving",
        "answer hit, 32 connections",
        "requests/s",
        "An answer page from the cache, requests a second",
    ),
    (
        "publishing",
        "commit batch, FULL, 10 items",
        "batches/s",
        "Publications a second that survive a power failure, synchronous=FULL",
    ),
    (
        "publishing",
        "commit batch, NORMAL, 10 items",
        "batches/s",
        "Publications a second, synchronous=NORMAL",
    ),
];

const WIDTH: usize = 760;
const BAR_HEIGHT: usize = 22;
const LINE_HEIGHT: usize = 30;
const HEAD_HEIGHT: usize = 34;
const MARGIN: usize = 16;
/// Where bars begin, and how long the longest is.
const BARS_AT: usize = 190;
const LONGEST: usize = 460;

/// In either of a reader's colour schemes: the page behind it is not ours.
const STYLE: &str = "text { font: 14px system-ui, sans-serif; fill: #57606a } .head { font-weight: 600 } \
    rect { fill: #8c959f } .own { fill: #0969da } \
    @media (prefers-color-scheme: dark) { text { fill: #9198a1 } .own { fill: #4493f8 } }";

/// Draws what there is of it.
pub(super) fn draw(parts: &[Part]) -> anyhow::Result<String> {
    let mut document = Document::new().add(Style::new(STYLE));
    let mut y = MARGIN;
    for (part, case, unit, head) in SHOWN {
        let rows = parts.iter().filter(|it| it.part == *part).flat_map(|it| &it.rows);
        let figures: Vec<_> = rows.filter(|row| row.case == *case && row.unit == *unit).collect();
        if figures.is_empty() {
            continue;
        }
        document = document.add(Text::new(*head).set("class", "head").set("x", MARGIN).set("y", y + 16));
        document = document.add(bars(&figures, y + HEAD_HEIGHT));
        y += HEAD_HEIGHT + figures.len() * LINE_HEIGHT + MARGIN;
    }
    let document = document.set("viewBox", (0, 0, WIDTH, y)).set("width", WIDTH).set("height", y);
    Ok(document.add(Title::new("Fencepost, measured")).to_string() + "\n")
}

fn bars(figures: &[&Figure], top: usize) -> Group {
    let highest = figures.iter().map(|figure| figure.value).fold(f64::MIN_POSITIVE, f64::max);
    figures.iter().enumerate().fold(Group::new(), |group, (line, figure)| {
        let y = top + line * LINE_HEIGHT;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a length in pixels is far below what a float holds exactly"
        )]
        let length = (figure.value / highest * LONGEST as f64).round();
        let class = if figure.subject == "fencepost" { "own" } else { "other" };
        let bar = Rectangle::new().set("x", BARS_AT).set("y", y).set("width", length);
        #[expect(clippy::cast_precision_loss, reason = "as above")]
        let after = length + (BARS_AT + 8) as f64;
        group
            .add(Text::new(figure.subject.as_str()).set("x", MARGIN).set("y", y + 16))
            .add(bar.set("height", BAR_HEIGHT).set("rx", 3).set("class", class))
            .add(Text::new(super::tables::number(figure.value)).set("x", after).set("y", y + 16))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Samples;

    #[test]
    fn bars_are_as_long_as_what_they_stand_for() {
        let (part, case, unit, head) = SHOWN[0];
        let mut samples = Samples::default();
        for (subject, value) in [("fencepost", 30_000.0), ("axum", 60_000.0)] {
            let unit = "requests/s";
            samples.add(case, subject, unit, value);
        }
        assert_eq!(unit, "requests/s");
        let drawing = draw(&[samples.into_part(part)]).unwrap();
        assert!(drawing.contains(head) && drawing.contains("30,000"), "{drawing}");
        assert!(drawing.contains("width=\"460\"") && drawing.contains("width=\"230\""), "{drawing}");
        assert!(!draw(&[]).unwrap().contains("axum"));
    }
}
