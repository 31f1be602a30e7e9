//! When two answers are the same.
//!
//! Byte for byte, and header for header: whatever differs can be measured by whoever wants
//! to know. The exceptions are what differs between any two answers, whatever they are about.

use crate::ask::Answer;

/// Headers that differ between any two answers: the time, and what proxies add.
const ALWAYS: &[&str] = &["date", "age", "cf-ray", "report-to", "nel", "server-timing"];

/// What differs over time, although the answer is the same: a countdown.
const OVER_TIME: &[&str] = &["retry-after"];

/// What a `HEAD` need not tell of the body that it leaves out.
const OF_BODY: &[&str] = &["content-length", "transfer-encoding", "connection"];

/// A part of two answers that differs, and how.
pub(crate) type Difference = (String, String);

/// How two answers differ that should be the same.
pub(crate) fn differences(expected: &Answer, got: &Answer) -> Vec<Difference> {
    let mut all = heads(expected, got, |name, _, _| ALWAYS.contains(&name));
    all.extend(bodies(expected, got));
    all
}

/// How two answers differ of which one was given a while after the other.
pub(crate) fn differences_over_time(cold: &Answer, warm: &Answer) -> Vec<Difference> {
    let mut all = heads(cold, warm, |name, a, b| {
        ALWAYS.contains(&name) || (OVER_TIME.contains(&name) && a.is_some() && b.is_some())
    });
    all.extend(bodies(cold, warm));
    all
}

/// How the head of a `HEAD` differs from that of the `GET` beside it.
pub(crate) fn differences_of_head(get: &Answer, head: &Answer) -> Vec<Difference> {
    heads(get, head, |name, a, b| {
        let is_untold = OF_BODY.contains(&name) && (a.is_none() || b.is_none());
        ALWAYS.contains(&name) || is_untold || (OVER_TIME.contains(&name) && a.is_some() && b.is_some())
    })
}

/// The answer as it would be if it were about another number.
pub(crate) fn about(answer: &Answer, from: &str, to: &str) -> Answer {
    let headers = answer.headers.iter().map(|(name, value)| (name.clone(), value.replace(from, to)));
    let body = match std::str::from_utf8(&answer.body) {
        Ok(text) => text.replace(from, to).into_bytes(),
        Err(_) => answer.body.clone(),
    };
    Answer { headers: headers.collect(), body, ..answer.clone() }
}

fn heads(
    expected: &Answer,
    got: &Answer,
    is_free: impl Fn(&str, Option<&str>, Option<&str>) -> bool,
) -> Vec<Difference> {
    let mut all = Vec::new();
    if expected.status != got.status {
        all.push(("status".to_owned(), format!("{} instead of {}", got.status, expected.status)));
    }
    let mut names: Vec<_> = expected.headers.iter().chain(&got.headers).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    for name in names {
        let [was, is] = [expected, got].map(|answer| {
            let values = answer.headers.iter().filter(|(known, _)| known == name);
            let values: Vec<_> = values.map(|(_, value)| value.as_str()).collect();
            (!values.is_empty()).then(|| values.join(", "))
        });
        if was != is && !is_free(name, was.as_deref(), is.as_deref()) {
            let [was, is] =
                [was, is].map(|value| value.map_or("none".to_owned(), |value| format!("{value:?}")));
            all.push((format!("header {name}"), format!("{is} instead of {was}")));
        }
    }
    all
}

fn bodies(expected: &Answer, got: &Answer) -> Option<Difference> {
    if expected.body == got.body {
        return None;
    }
    if expected.body.len() != got.body.len() {
        let evidence = format!("{} bytes instead of {}", got.body.len(), expected.body.len());
        return Some(("size".to_owned(), evidence));
    }
    let at = expected.body.iter().zip(&got.body).position(|(was, is)| was != is).unwrap_or(0);
    let shown = |body: &[u8]| String::from_utf8_lossy(&body[at..body.len().min(at + 40)]).into_owned();
    let evidence = format!("{:?} instead of {:?} at byte {at}", shown(&got.body), shown(&expected.body));
    Some(("body".to_owned(), evidence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Window;
    use fencepost_domain::time::UnixMillis;

    fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Answer {
        let now = UnixMillis::new(0);
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let window = Window { from: now, until: now };
        Answer { status, headers: headers.collect(), body: body.as_bytes().to_vec(), window }
    }

    fn parts(differences: Vec<Difference>) -> Vec<String> {
        differences.into_iter().map(|(part, _)| part).collect()
    }

    #[test]
    fn whatever_can_be_measured_is_a_difference() {
        let one = answer(404, &[("date", "x"), ("vary", "a")], "nothing");
        let check = |other: Answer, expected: &[&str]| assert_eq!(parts(differences(&one, &other)), expected);
        check(answer(404, &[("vary", "a"), ("date", "y")], "nothing"), &[]);
        check(answer(200, &[("vary", "a")], "nothing"), &["status"]);
        check(answer(404, &[("vary", "b")], "nothing"), &["header vary"]);
        check(
            answer(404, &[("vary", "a"), ("etag", "1"), ("retry-after", "1")], "nothing"),
            &["header etag", "header retry-after"],
        );
        check(answer(404, &[("vary", "a")], "nothinG"), &["body"]);
        check(answer(404, &[("vary", "a")], "nothing."), &["size"]);
    }

    #[test]
    fn a_countdown_may_go_on_and_a_head_may_say_less_of_the_body() {
        let get = answer(404, &[("retry-after", "9"), ("content-length", "7")], "nothing");
        let later = answer(404, &[("retry-after", "8"), ("content-length", "7")], "nothing");
        assert_eq!(parts(differences_over_time(&get, &later)), Vec::<String>::new());
        let without = answer(404, &[("content-length", "7")], "nothing");
        assert_eq!(parts(differences_over_time(&get, &without)), ["header retry-after"]);
        assert_eq!(
            parts(differences_of_head(&get, &answer(404, &[("retry-after", "9")], ""))),
            Vec::<String>::new()
        );
        let longer = answer(404, &[("retry-after", "9"), ("content-length", "8")], "");
        assert_eq!(parts(differences_of_head(&get, &longer)), ["header content-length"]);
    }

    #[test]
    fn an_answer_may_repeat_what_it_was_asked_for() {
        let unknown = about(&answer(404, &[("link", "/x/99")], "no 99"), "99", "42");
        assert_eq!(
            parts(differences(&unknown, &answer(404, &[("link", "/x/42")], "no 42"))),
            Vec::<String>::new()
        );
    }
}
