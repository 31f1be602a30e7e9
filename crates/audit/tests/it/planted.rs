//! Leaks, planted one at a time in front of the real router: each is found, and the finding
//! names the request and the secret.

use std::sync::Mutex;

use fencepost_audit::{Answer, Depth, Kind, Question};

use crate::world::{FUTURE, Leak, OPEN, TOLD, World, photo};

/// Plants a leak, and asserts that the audit finds it.
async fn check(kind: Kind, surface: &str, what: &str, leak: Leak) {
    let report = World::new().await.leaking(leak).audit(Depth::Full).await;
    let is_it =
        |kind_of: Kind, words: &str, part: &str| kind_of == kind && words == surface && part.contains(what);
    let found = report.findings.iter().any(|found| is_it(found.kind, &found.surface, &found.what));
    assert!(found, "{kind:?} of {what:?} at {surface:?} is not among {:#?}", report.findings);
}

/// A leak in the answers to `GET` of one path.
fn at(path: impl Into<String>, change: impl Fn(&mut Answer) + Send + Sync + 'static) -> Leak {
    when(path, |question| question.method == "GET", change)
}

/// A leak in the answers to some requests for one path.
fn when(
    path: impl Into<String>,
    is_meant: impl Fn(&Question) -> bool + Send + Sync + 'static,
    change: impl Fn(&mut Answer) + Send + Sync + 'static,
) -> Leak {
    let path = path.into();
    Box::new(move |question, answer| {
        if question.path == path && !question.as_operator && is_meant(question) {
            change(answer);
        }
    })
}

fn is_post(question: &Question) -> bool {
    question.method == "POST"
}

/// A page that there is not yet.
fn page(content_type: &'static str, body: impl Into<String>) -> impl Fn(&mut Answer) + Send + Sync + 'static {
    let body = body.into();
    move |answer| {
        answer.status = 200;
        answer.headers = vec![("content-type".to_owned(), content_type.to_owned())];
        answer.body = body.clone().into_bytes();
    }
}

fn appended(text: impl Into<String>) -> impl Fn(&mut Answer) + Send + Sync + 'static {
    let text = text.into();
    move |answer| answer.body.extend(text.bytes())
}

fn header(name: &'static str, value: &'static str) -> impl Fn(&mut Answer) + Send + Sync + 'static {
    move |answer| {
        answer.headers.retain(|(known, _)| known != name);
        answer.headers.push((name.to_owned(), value.to_owned()));
    }
}

fn status(status: u16) -> impl Fn(&mut Answer) + Send + Sync + 'static {
    move |answer| answer.status = status
}

fn future(form: &str) -> String {
    form.replace("{}", &FUTURE.to_string())
}

#[tokio::test]
async fn a_secret_in_a_body_is_found() {
    for (what, text) in [
        ("the price $1,234.50", r#"<script type="application/ld+json">{"price":"1234.50"}</script>"#),
        ("it strikes every quarter of an hour", "<p>It strikes every <em>quarter</em> of an hour.</p>"),
        ("the price $678.90", "<!-- price_cents=67890 -->"),
        ("the name \"Antique globe\"", r#"{"next":{"name":"Antique \u0067lobe"}}"#),
        ("the due instant", r#"<time datetime="2026-11-30T00:10:00Z">"#),
        ("the photo's https", r#"<img src="https://photos.example/globe.webp">"#),
    ] {
        check(Kind::EmbargoedBytes, "GET /", what, at("/", appended(text))).await;
    }
}

#[tokio::test]
async fn a_secret_in_feed_and_sitemap_is_found() {
    for (path, what, text) in [
        ("/feed.xml", "the name", "<title>Antique &#103;lobe</title>"),
        ("/feed.xml", "the world as it was", "<content>Shows the &lt;b&gt;world&lt;/b&gt; as it was"),
        ("/sitemap.xml", "the number 1120", "<loc>https://example.org/answers/1120</loc>"),
        ("/sitemap.xml", "the due instant", "<lastmod>2026-11-30T00:10:00Z</lastmod>"),
    ] {
        check(Kind::EmbargoedBytes, &format!("GET {path}"), what, at(path, page("application/xml", text)))
            .await;
    }
}

#[tokio::test]
async fn a_page_that_is_linked_from_a_feed_is_looked_at() {
    let leak: Leak = Box::new(|question, answer| match question.path.as_str() {
        "/feed.xml" => page("application/xml", "<link href=\"https://example.org/answers/extra\"/>")(answer),
        "/answers/extra" => page("text/html", "<p>$1,234.50")(answer),
        _ => {}
    });
    check(Kind::EmbargoedBytes, "GET /answers/extra", "the price $1,234.50", leak).await;
}

#[tokio::test]
async fn a_neighbour_that_is_not_public_is_found() {
    let path = format!("/answers/{TOLD}");
    let link = future(r#"<a rel="next" href="/answers/{}">"#);
    check(Kind::EmbargoedBytes, &format!("GET {path}"), "the number 1120", at(&path, appended(link))).await;
}

#[tokio::test]
async fn a_secret_in_a_header_is_found() {
    let open = format!("/answers/{OPEN}");
    let of_price = at(&open, header("x-price", "123450"));
    check(Kind::EmbargoedBytes, &format!("GET {open}"), "the price $1,234.50 in the headers", of_price).await;
    let of_name = at("/", header("link", "</play/soon?name=Antique%20globe>; rel=next"));
    check(Kind::EmbargoedBytes, "GET /", "the name \"Antique globe\" in the headers", of_name).await;
}

#[tokio::test]
async fn a_secret_in_the_answer_to_a_guess_is_found() {
    let path = format!("/api/puzzles/{OPEN}/guess");
    let guess = format!("POST {path} (content-type: application/json)");
    for text in ["1234.50", r#", "price_cents": 123450"#] {
        check(Kind::EmbargoedBytes, &guess, "the price $1,234.50", when(&path, is_post, appended(text)))
            .await;
    }
    // Only when the game is over.
    let of_the_end: Leak = Box::new(move |question, answer| {
        if question.path == path && answer.status == 409 {
            appended("It was $1,234.50")(answer);
        }
    });
    check(Kind::EmbargoedBytes, &guess, "the price $1,234.50", of_the_end).await;
    let stats = format!("/api/puzzles/{OPEN}/stats");
    check(
        Kind::EmbargoedBytes,
        &format!("GET {stats}"),
        "the price $1,234.50",
        at(&stats, appended("1234.50")),
    )
    .await;
}

/// Plants the open puzzle's price in the answers to some forms, and sees it found.
async fn check_form(is_meant: impl Fn(&Question, &Answer) -> bool + Send + Sync + 'static) {
    let path = format!("/play/{OPEN}");
    let asked = format!("POST {path} (content-type: application/x-www-form-urlencoded)");
    let leak: Leak = Box::new(move |question, answer| {
        if question.path == path && question.method == "POST" && is_meant(question, answer) {
            appended("<p>It was <b>$1,234</b>.50")(answer);
        }
    });
    check(Kind::EmbargoedBytes, &asked, "the price $1,234.50", leak).await;
}

fn form(question: &Question) -> &str {
    question.body.as_deref().unwrap_or_default()
}

fn says(answer: &Answer, words: &str) -> bool {
    String::from_utf8_lossy(&answer.body).contains(words)
}

#[tokio::test]
async fn a_secret_in_the_answer_to_a_form_is_found_whatever_was_guessed() {
    check_form(|form_of, answer| answer.status == 200 && form(form_of) == "guess=0.01").await;
    check_form(|_, answer| says(answer, "you are very close")).await;
    check_form(|_, answer| says(answer, "Guess 6 of 6")).await;
    check_form(|_, answer| says(answer, "data-outcome=\"won\"")).await;
    check_form(|_, answer| says(answer, "data-outcome=\"lost\"")).await;
    // A look at a game that is over, and a guess after its end.
    check_form(|form_of, answer| says(answer, "data-outcome=") && !form(form_of).contains("guess=")).await;
    check_form(|_, answer| answer.status == 409).await;
    // What is no guess, and what is no game.
    check_form(|form_of, _| form(form_of).is_empty()).await;
    check_form(|_, answer| answer.status == 422 && says(answer, "That is not a price")).await;
    check_form(|_, answer| answer.status == 422 && says(answer, "could not be continued")).await;
}

#[tokio::test]
async fn a_secret_on_the_page_of_a_game_is_found() {
    let path = format!("/play/{OPEN}");
    let page = format!("GET {path}");
    check(Kind::EmbargoedBytes, &page, "the price $1,234.50", at(&path, appended("data-price=\"1234.5\"")))
        .await;
    check(Kind::EmbargoedBytes, &page, "the price $1,234.50", at(&path, header("x-cents", "price=123450")))
        .await;
    let head = |question: &Question| question.method == "HEAD";
    let hint = when(&path, head, header("x-cents", "price=123450"));
    check(Kind::EmbargoedBytes, &format!("HEAD {path}"), "the price $1,234.50", hint).await;
}

#[tokio::test]
async fn a_secret_in_what_is_said_to_a_guess_that_wins_or_is_close_is_found() {
    let guess = format!("POST {} (content-type: application/json)", path_of_guess());
    for words in [r#""verdict":"correct""#, r#""verdict":"lower","close":true"#, r#""outcome":"lost""#] {
        let found = Mutex::new(false);
        let leak: Leak = Box::new(move |question, answer| {
            // The first such answer alone.
            if question.path == path_of_guess() && says(answer, words) && !*found.lock().unwrap() {
                *found.lock().unwrap() = true;
                appended(r#","price_cents":123450"#)(answer);
            }
        });
        check(Kind::EmbargoedBytes, &guess, "the price $1,234.50", leak).await;
    }
}

fn path_of_guess() -> String {
    format!("/api/puzzles/{OPEN}/guess")
}

#[tokio::test]
async fn what_comes_with_an_answer_and_is_there_before_it_is_found() {
    for path in [format!("/api/puzzles/{OPEN}/stats"), format!("/answers/{OPEN}")] {
        let early = at(&path, page("application/json", r#"{"results":3,"won":3}"#));
        check(Kind::TooEarly, &format!("GET {path}"), "status", early).await;
        let tagged = format!("GET {path} (if-none-match: *)");
        let kept = when(&path, |question| !question.headers.is_empty(), status(304));
        check(Kind::TooEarly, &tagged, "status", kept).await;
    }
}

#[tokio::test]
async fn a_game_that_tells_a_future_puzzle_is_found() {
    let guess = future("/api/puzzles/{}/guess");
    let asked = format!("POST {guess} (content-type: application/json)");
    check(Kind::ToldApart, &asked, "status", when(&guess, is_post, status(410))).await;
    let stats = future("/api/puzzles/{}/stats");
    check(Kind::ToldApart, &format!("GET {stats}"), "status", at(&stats, status(410))).await;

    let play = future("/play/{}");
    check(Kind::ToldApart, &format!("GET {play}"), "status", at(&play, status(410))).await;
    let head = when(&play, |question| question.method == "HEAD", header("etag", "\"x\""));
    check(Kind::ToldApart, &format!("HEAD {play}"), "header etag", head).await;
    let form_of = format!("POST {play} (content-type: application/x-www-form-urlencoded)");
    for meant in ["guess=0.01", "", "guess=eighteen", "guess=0.01&game=x"] {
        let is_meant = move |question: &Question| is_post(question) && form(question) == meant;
        check(Kind::ToldApart, &form_of, "size", when(&play, is_meant, appended(" "))).await;
    }
    let with_a_game = |question: &Question| form(question).starts_with("game=");
    check(Kind::ToldApart, &form_of, "status", when(&play, with_a_game, status(409))).await;
}

#[tokio::test]
async fn a_photo_before_its_day_is_found() {
    let path = World::new().await.photo_to_come().await;
    let served = |answer: &mut Answer| {
        page("image/webp", "")(answer);
        answer.body = photo("globe");
    };
    check(Kind::ToldApart, &format!("GET {path}"), "status", at(&path, served)).await;
    check(Kind::EmbargoedBytes, "GET /favicon.ico", "the photo", at("/favicon.ico", served)).await;
    let held = format!("GET {path} (if-none-match: \"{}\")", &path[8..]);
    let not_modified = when(&path, |question| !question.headers.is_empty(), status(304));
    check(Kind::ToldApart, &held, "status", not_modified).await;
    let shown = at("/", appended(format!("<meta property=\"og:image\" content=\"{path}\">")));
    check(Kind::EmbargoedBytes, "GET /", "the photo's", shown).await;
}

#[tokio::test]
async fn a_future_number_that_is_answered_otherwise_is_found() {
    use Kind::ToldApart;
    let answer = future("/answers/{}");
    let get = format!("GET {answer}");
    check(ToldApart, &get, "header content-length", at(&answer, header("content-length", "1"))).await;
    check(ToldApart, &get, "header etag", at(&answer, header("etag", "\"x\""))).await;
    check(ToldApart, &get, "header retry-after", at(&answer, header("retry-after", "4200"))).await;
    check(ToldApart, &get, "header vary", at(&answer, header("vary", "cookie"))).await;
    check(ToldApart, &get, "size", at(&answer, appended(" "))).await;
    let spelled = |answer: &mut Answer| answer.body[9] = b'X';
    check(ToldApart, &get, "body", at(&answer, spelled)).await;
    let malformed = future("/answers/0{}");
    check(ToldApart, &format!("GET {malformed}"), "body", at(&malformed, spelled)).await;
    let stats = future("/api/puzzles/{}/stats");
    let counted = at(&stats, page("application/json", r#"{"players":0}"#));
    check(ToldApart, &format!("GET {stats}"), "status", counted).await;
}

#[tokio::test]
async fn another_method_or_condition_that_tells_a_future_number_is_found() {
    use Kind::ToldApart;
    let path = future("/answers/{}");
    let by = |method: &'static str| move |question: &Question| question.method == method;
    let with = |name: &'static str| {
        move |question: &Question| question.headers.iter().any(|(known, _)| *known == name)
    };
    check(ToldApart, &format!("HEAD {path}"), "status", when(&path, by("HEAD"), status(200))).await;
    check(
        ToldApart,
        &format!("OPTIONS {path}"),
        "header allow",
        when(&path, by("OPTIONS"), header("allow", "GET")),
    )
    .await;
    let post = format!("POST {path} (content-type: application/json)");
    check(ToldApart, &post, "status", when(&path, by("POST"), status(409))).await;
    let part = format!("GET {path} (range: bytes=0-15)");
    check(ToldApart, &part, "status", when(&path, with("range"), status(416))).await;
    let condition = format!("GET {path} (if-none-match: *)");
    check(ToldApart, &condition, "status", when(&path, with("if-none-match"), status(304))).await;
    let packed = format!("GET {path} (accept-encoding: gzip, br)");
    check(
        ToldApart,
        &packed,
        "header vary",
        when(&path, with("accept-encoding"), header("vary", "accept-encoding")),
    )
    .await;
}

#[tokio::test]
async fn a_fault_is_a_difference_only_if_it_stays() {
    let path = future("/answers/{}");
    check(Kind::ToldApart, &format!("GET {path}"), "status", at(&path, status(503))).await;

    for path in [path.as_str(), "/", "/play/1"] {
        let faults = Mutex::new(1);
        let passing = at(path, move |answer| {
            let mut faults = faults.lock().unwrap();
            if *faults > 0 {
                *faults -= 1;
                answer.status = 503;
            }
        });
        let report = World::new().await.leaking(passing).audit(Depth::Full).await;
        assert!(report.findings.is_empty(), "{path}: {:#?}", report.findings);
    }
}

#[tokio::test]
async fn a_hit_that_tells_a_future_number_is_found() {
    let path = future("/answers/{}");
    let asked = Mutex::new(0);
    let hit = when(
        &path,
        move |question| {
            let mut asked = asked.lock().unwrap();
            *asked += usize::from(question.method == "GET" && question.headers.is_empty());
            *asked > 1 && question.headers.is_empty() && question.method == "GET"
        },
        header("x-cache", "hit"),
    );
    check(Kind::ToldApart, &format!("GET {path}"), "header x-cache", hit).await;
}

#[tokio::test]
async fn a_head_that_is_answered_otherwise_than_a_get_is_found() {
    let path = format!("/answers/{TOLD}");
    let head = |question: &Question| question.method == "HEAD";
    check(Kind::HeadDiffers, &format!("HEAD {path}"), "status", when(&path, head, status(404))).await;
    let longer = when("/answers", head, header("content-length", "1"));
    check(Kind::HeadDiffers, "HEAD /answers", "header content-length", longer).await;
    check(Kind::HeadDiffers, "HEAD /", "header etag", when("/", head, header("etag", "\"x\""))).await;
}

#[tokio::test]
async fn an_operators_answer_that_is_kept_for_others_is_found() {
    // A cache that does not look at the token.
    let kept_at = |path: &'static str| -> Leak {
        let kept: Mutex<Option<Answer>> = Mutex::new(None);
        Box::new(move |question, answer| {
            let mut kept = kept.lock().unwrap();
            if question.path != path || question.method != "GET" || !question.headers.is_empty() {
                return;
            }
            match &*kept {
                Some(old) if !question.as_operator => *answer = old.clone(),
                _ if question.as_operator => *kept = Some(answer.clone()),
                _ => {}
            }
        })
    };
    // The list was read with the token before the walk began.
    let items = "/admin/api/items";
    check(Kind::EmbargoedBytes, &format!("GET {items}"), "the name \"Antique globe\"", kept_at(items)).await;
    // The first stranger came before the operator, and the second one after.
    let verify = "/admin/api/verify";
    check(Kind::WarmDiffers, &format!("GET {verify}"), "status", kept_at(verify)).await;
}
