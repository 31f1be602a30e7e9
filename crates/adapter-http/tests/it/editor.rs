//! The editor of the bank: one puzzle, by a form.

use axum::{body::Body, http::Method};
use fencepost_domain::action::ActionKind;
use serde_json::json;

use crate::{
    dashboard::Operator,
    world::{Answer, FUTURE, OPEN, OVERDUE, PUBLISHED, UNKNOWN, WITHDRAWN, World, id, row},
};

/// The form of a page, as a browser has it in hand.
#[derive(Clone, Debug)]
struct Form {
    path: String,
    fields: Vec<(String, String)>,
}

impl Form {
    /// The form of the editor on a page.
    fn on(page: &str, path: &str) -> Self {
        let form = page.split("class=\"editor\"").nth(1).expect(page).split("</form>").next().unwrap();
        let mut fields = Vec::new();
        for input in form.split("<input").skip(1) {
            let tag = &input[..input.find('>').unwrap()];
            fields.push((attribute(tag, "name").unwrap(), attribute(tag, "value").unwrap_or_default()));
        }
        let text = form.split("<textarea").nth(1).unwrap();
        let content = &text[text.find(">\n").unwrap() + 2..text.find("</textarea>").unwrap()];
        fields.push(("description".to_owned(), plain(content)));
        Self { path: path.to_owned(), fields }
    }

    /// The same with something typed into a field.
    fn with(&self, name: &str, value: &str) -> Self {
        let mut form = self.clone();
        form.fields.retain(|(known, _)| known != name);
        form.fields.push((name.to_owned(), value.to_owned()));
        form
    }

    fn field(&self, name: &str) -> &str {
        &self.fields.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}")).1
    }

    async fn send(&self, operator: &Operator<'_>, button: &str) -> Answer {
        let fields = self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let fields: Vec<_> = fields.filter(|(name, _)| *name != "mark").chain([("do", button)]).collect();
        operator.press(&self.path, &fields).await
    }

    /// What comes of a look at it: the page, and its form.
    async fn look(&self, operator: &Operator<'_>) -> (String, Self) {
        let answer = self.send(operator, "look").await;
        assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
        let page = answer.text();
        let form = Self::on(&page, &self.path);
        (page, form)
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let from = tag.split(&format!("{name}=\"")).nth(1)?;
    Some(plain(from.split('"').next().unwrap()))
}

fn plain(html: &str) -> String {
    let marks = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
    marks.iter().fold(html.to_owned(), |text, (entity, mark)| text.replace(entity, mark))
}

async fn form(operator: &Operator<'_>, path: &str) -> Form {
    let answer = operator.get(path).await;
    assert_eq!(answer.status.as_u16(), 200, "{path}");
    Form::on(&answer.text(), path)
}

fn edit(puzzle: i64) -> String {
    format!("/admin/items/{puzzle}/edit")
}

#[tokio::test]
async fn a_puzzle_is_edited_after_a_look_at_what_would_change() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let form = form(&operator, &edit(PUBLISHED)).await;
    let fields =
        ["name", "price", "date", "description", "photo", "expected_version"].map(|it| form.field(it));
    let photo = "https://photos.example/lamp.webp";
    assert_eq!(fields, ["Lamp & shade", "11.18", "2026-11-27", "About the *Lamp & shade*.", photo, "1"]);
    let (same, _) = form.look(&operator).await;
    assert!(same.contains("Nothing would change"), "{same}");

    let typed = form.with("price", "$12.50").with("description", "Of **brass**.\r\n");
    let (page, looked) = typed.look(&operator).await;
    for words in [
        "It costs $12.50 instead of $11.18.",
        "It has another description.",
        "until it is brought up to the bank",
        "<strong>brass</strong>",
    ] {
        assert!(page.contains(words), "{words:?} is not on the page: {page}");
    }
    assert_eq!(
        world.site.item(id(PUBLISHED)).await.unwrap().puzzle.unwrap().price_cents,
        1_118,
        "only a look"
    );
    let saved = looked.with("reason", "a <typo>").send(&operator, "save").await;
    let page = operator.after(&saved).await;
    for words in
        ["It is saved in the bank.", "an older version of the bank", "<td>edit</td>", "a &#60;typo&#62;"]
    {
        assert!(page.contains(words), "{words:?} is not on the page: {page}");
    }
    let item = world.site.item(id(PUBLISHED)).await.unwrap();
    let puzzle = item.puzzle.unwrap();
    assert_eq!((puzzle.price_cents, puzzle.description.as_str()), (1_250, "Of **brass**.\n"));
    let action = item.actions.last().unwrap();
    assert_eq!((action.action, action.actor.as_str()), (ActionKind::Edit, "Ada"));
    assert_eq!(action.reason.as_deref(), Some("a <typo>"));
    let public = world.get(&format!("/answers/{PUBLISHED}")).await.text();
    assert!(public.contains("$11.18"), "a page changes when somebody wants it to: {public}");
    let updated = operator.press(&format!("/admin/items/{PUBLISHED}/republish"), &[]).await;
    assert!(!operator.after(&updated).await.contains("an older version of the bank"));
    assert!(world.get(&format!("/answers/{PUBLISHED}")).await.text().contains("$12.50"));
}

#[tokio::test]
async fn of_two_operators_one_is_overtaken_and_loses_nothing_that_they_typed() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let begun = form(&operator, &edit(FUTURE)).await;
    let (_, mine) = begun.with("name", "A <globe>").with("price", "99").look(&operator).await;
    let mine = mine.with("reason", "a \"bargain\"");
    let (_, theirs) = begun.with("price", "55").with("photo", "").look(&operator).await;
    operator.after(&theirs.send(&operator, "save").await).await;

    // At the write, and at a look.
    for button in ["save", "look"] {
        let overtaken = mine.send(&operator, button).await;
        assert_eq!(overtaken.status.as_u16(), 409, "{button}");
        let page = overtaken.text();
        for words in [
            "the bank has version 2 of it now",
            "<td>$55.00</td><td>$99.00</td>",
            "<td>Globe</td><td>A &#60;globe&#62;</td>",
            "<td>none</td><td>https://photos.example/globe.webp</td>",
        ] {
            assert!(page.contains(words), "{words:?} is not on the page: {page}");
        }
        assert!(!page.contains("<td>29 November 2026</td>"), "what is alike is not shown: {page}");
        let kept = Form::on(&page, &mine.path);
        let typed = ["name", "price", "reason"].map(|it| kept.field(it));
        assert_eq!(typed, ["A <globe>", "99", "a \"bargain\""]);
        assert_eq!(kept.field("expected_version"), "2");
    }
    let version = async || world.site.item(id(FUTURE)).await.unwrap().puzzle.unwrap().bank_version.get();
    assert_eq!(version().await, 2);
    // Whoever has seen that may want it all the same.
    let again = Form::on(&mine.send(&operator, "look").await.text(), &mine.path);
    let (page, looked) = again.look(&operator).await;
    assert!(page.contains("It costs $99.00 instead of $55.00."), "{page}");
    assert_eq!(looked.field("reason"), "a \"bargain\"");
    operator.after(&looked.send(&operator, "save").await).await;
    assert_eq!(version().await, 3);
}

#[tokio::test]
async fn what_is_saved_was_looked_at() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let (_, looked) = form(&operator, &edit(FUTURE)).await.with("price", "20").look(&operator).await;
    for changed in [looked.with("price", "21"), looked.with("looked", "x"), looked.with("looked", "")] {
        let refused = changed.send(&operator, "save").await;
        assert_eq!(refused.status.as_u16(), 409);
        assert!(refused.text().contains("it is not what you have looked at"), "{}", refused.text());
    }
    assert_eq!(world.site.item(id(FUTURE)).await.unwrap().puzzle.unwrap().bank_version.get(), 1);
}

#[tokio::test]
async fn complaints_stand_beside_their_fields_and_nothing_typed_is_lost() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let typed = form(&operator, &edit(FUTURE)).await;
    let typed = typed.with("price", "a <lot>").with("photo", "ftp://x.example/").with("name", "A globe");
    for button in ["look", "save"] {
        let answer = typed.send(&operator, button).await;
        assert_eq!(answer.status.as_u16(), 422);
        let page = answer.text();
        for words in [
            "<p class=\"wrong\" id=\"price-wrong\">A price lies between $0.01 and $1,000,000.00, such as 18.99.</p>",
            "aria-describedby=\"price-wrong price-hint\" aria-invalid=\"true\" autofocus>",
            "<p class=\"wrong\" id=\"photo-wrong\">An image comes over https or http, not ftp.</p>",
            "<a href=\"#photo\">",
        ] {
            assert!(page.contains(words), "{words:?} is not on the page: {page}");
        }
        assert_eq!(page.matches("autofocus").count(), 1);
        assert!(!page.contains("value=\"save\""), "nothing to save: {page}");
        let kept = Form::on(&page, &typed.path);
        let fields = ["name", "price", "photo"].map(|name| kept.field(name));
        assert_eq!(fields, ["A globe", "a <lot>", "ftp://x.example/"]);
    }
    let (_, looked) = typed.with("price", "1").with("photo", "").look(&operator).await;
    let refused = looked.with("reason", &"x".repeat(501)).send(&operator, "save").await;
    assert_eq!(refused.status.as_u16(), 422);
    assert!(refused.text().contains("a reason has 1 to 500 characters"), "{}", refused.text());
    assert_eq!(Form::on(&refused.text(), &looked.path).field("price"), "1");
}

#[tokio::test]
async fn what_the_bank_has_against_a_date_stands_beside_it() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let check = async |puzzle: i64, date: &str, message: &str| {
        let (_, looked) = form(&operator, &edit(puzzle)).await.with("date", date).look(&operator).await;
        let refused = looked.send(&operator, "save").await;
        assert_eq!(refused.status.as_u16(), 409);
        let words = format!("<p class=\"wrong\" id=\"date-wrong\">{message}</p>");
        assert!(refused.text().contains(&words), "{}", refused.text());
    };
    check(FUTURE, "2026-11-27", &format!("No. {PUBLISHED} is played on that date.")).await;
    check(PUBLISHED, "2027-01-01", "Its answer was out, so its date stays.").await;
    let page = operator.get(&edit(PUBLISHED)).await.text();
    assert!(page.contains(" readonly") && page.contains("It has a page, so its date stays."), "{page}");
}

#[tokio::test]
async fn a_look_tells_what_happens_then() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let check = async |puzzle: i64, field: &str, value: &str, expected: &[&str]| {
        let (page, _) = form(&operator, &edit(puzzle)).await.with(field, value).look(&operator).await;
        for words in expected {
            assert!(page.contains(words), "{words:?} is not on the page: {page}");
        }
    };
    check(OPEN, "price", "5", &["It is being played: from then on guesses are judged by the new price"])
        .await;
    check(OPEN, "name", "Watch", &["players see the change at once", "comes out like this, in 9 h 10 min"])
        .await;
    let moved = ["is not any more then", "due at 00:10 UTC on 2 January 2027 then"];
    check(OPEN, "date", "2027-01-01", &moved).await;
    check(OVERDUE, "name", "Oven", &["the next run publishes it like this"]).await;
    check(WITHDRAWN, "name", "Pot", &["It is withdrawn, and stays so."]).await;
}

#[tokio::test]
async fn a_new_puzzle_follows_the_last_one_and_replaces_none() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let empty = form(&operator, "/admin/items/new").await;
    assert_eq!([empty.field("id"), empty.field("date")], ["1121", "2026-11-30"]);
    let refused = empty.send(&operator, "look").await;
    assert_eq!(refused.status.as_u16(), 422, "it has neither a name nor a price");
    let typed = empty.with("name", "A pot").with("price", "32.50");
    let taken = typed.with("id", &PUBLISHED.to_string()).send(&operator, "look").await;
    assert_eq!(taken.status.as_u16(), 409);
    assert!(taken.text().contains(&format!("The bank has a No. {PUBLISHED} already.")), "{}", taken.text());
    let (page, looked) = typed.look(&operator).await;
    assert!(page.contains("It is new.") && page.contains("due at 00:10 UTC on 1 December 2026"), "{page}");
    let saved = looked.send(&operator, "save").await;
    assert_eq!(saved.header("location"), "/admin/items/1121?done=saved");
    assert!(operator.after(&saved).await.contains("A pot"));
    let twice = looked.send(&operator, "save").await;
    assert_eq!(twice.header("location"), "/admin/items/1121?done=saved", "it is there, as it was typed");
    let other = looked.with("price", "33").send(&operator, "save").await;
    assert_eq!(other.status.as_u16(), 409, "it is there already");
}

#[tokio::test]
async fn a_button_pressed_twice_saves_once_and_tells_of_nobody_else() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let (_, looked) = form(&operator, &edit(FUTURE)).await.with("price", "20").look(&operator).await;
    for press in ["first", "second"] {
        let saved = looked.send(&operator, "save").await;
        assert_eq!(saved.status.as_u16(), 303, "{press}: {}", saved.text());
        assert_eq!(saved.header("location"), format!("/admin/items/{FUTURE}?done=saved"), "{press}");
    }
    let item = world.site.item(id(FUTURE)).await.unwrap();
    assert_eq!(item.puzzle.unwrap().bank_version.get(), 2);
    let edits = item.actions.iter().filter(|action| action.action == ActionKind::Edit);
    assert_eq!(edits.count(), 1);
    let (page, same) = looked.look(&operator).await;
    assert!(page.contains("Nothing would change"), "{page}");
    assert_eq!(same.field("expected_version"), "2", "whoever goes on goes on from what stands");
}

#[tokio::test]
async fn an_address_of_no_puzzle_has_no_editor() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    for puzzle in [UNKNOWN.to_string(), "x".to_owned(), "01118".to_owned()] {
        let path = format!("/admin/items/{puzzle}/edit");
        assert_eq!(operator.get(&path).await.status.as_u16(), 404, "{path}");
        assert_eq!(operator.press(&path, &[("do", "look")]).await.status.as_u16(), 404, "POST {path}");
    }
    let stranger = world.submit(&edit(PUBLISHED), &[], &[("do", "save")]).await;
    assert_eq!(stranger.status.as_u16(), 401);
}

/// A form in parts, with a file.
fn parts(fields: &[(&str, Option<&str>, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, file, content) in fields {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        body.extend(
            format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").bytes(),
        );
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(b"--edge--\r\n");
    body
}

#[tokio::test]
async fn an_import_comes_as_a_file_as_well() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let mark = operator.mark().await;
    let headers =
        [("cookie", operator.cookie.as_str()), ("content-type", "multipart/form-data; boundary=edge")];
    let send =
        async |body: Vec<u8>| world.send(Method::POST, "/admin/bank", &headers, Body::from(body)).await;
    let file = json!({ "puzzles": [row(1_130, "2026-12-09", "Café", None)] }).to_string();
    let with = |content: &[u8], text: &[u8]| {
        parts(&[("mark", None, mark.as_bytes()), ("puzzles", None, text), ("file", Some("a.json"), content)])
    };
    for content in [file.clone(), format!("\u{feff}{file}")] {
        let looked = send(with(content.as_bytes(), b"{ what was refused before }")).await;
        assert_eq!(looked.status.as_u16(), 200, "{}", looked.text());
        assert!(looked.text().contains("<bdi>Café</bdi>: is new"), "{}", looked.text());
    }
    let pasted = send(with(b"", file.as_bytes())).await;
    assert_eq!(pasted.status.as_u16(), 200, "without a file, the text counts");
    let bad = send(with(b"{", file.as_bytes())).await;
    assert_eq!(bad.status.as_u16(), 422);
    let latin: Vec<u8> =
        file.replace('é', "?").bytes().map(|byte| if byte == b'?' { 0xe9 } else { byte }).collect();
    let latin = send(with(&latin, b"")).await;
    assert_eq!(latin.status.as_u16(), 422);
    assert!(latin.text().contains("no text in UTF-8"), "{}", latin.text());

    let unmarked = send(parts(&[("mark", None, b"x"), ("file", Some("a.json"), file.as_bytes())])).await;
    assert_eq!(unmarked.status.as_u16(), 403);
    assert_eq!(send(b"no parts".to_vec()).await.status.as_u16(), 400);
    assert_eq!(send(with(&vec![b' '; 16 * 1024 * 1024], b"")).await.status.as_u16(), 413);
}
