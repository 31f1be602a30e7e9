//! A compressed text is kept while it fits, and given out for nothing else.

use fencepost_adapter_native::{CompressedTexts, TextName};

fn name(tag: &str) -> TextName<'_> {
    TextName { tag, content_type: "text/html" }
}

#[test]
fn a_text_comes_back_under_its_tag_and_its_type_only() {
    let texts = CompressedTexts::new(1_000_000);
    assert_eq!(texts.keep(&name("\"a\""), b"A"), "A");
    assert_eq!(texts.get(&name("\"a\"")).unwrap(), "A");
    assert_eq!(texts.get(&name("\"b\"")), None);
    assert_eq!(texts.get(&TextName { content_type: "text/css", ..name("\"a\"") }), None);
    // Neither does the end of the one run into the beginning of the other.
    assert_eq!(texts.get(&TextName { tag: "\"a\"t", content_type: "ext/html" }), None);
}

#[test]
fn the_bytes_of_all_texts_stay_within_their_bound() {
    const BOUND: u64 = 1_000_000;
    let texts = CompressedTexts::new(BOUND);
    for n in 0..3_000 {
        texts.keep(&name(&format!("\"{n}\"")), &[0; 3_000]);
        assert!(texts.bytes() <= BOUND, "{} bytes after {n} texts", texts.bytes());
    }
    assert!(texts.bytes() > BOUND / 2, "most of the room is in use: {}", texts.bytes());
}

#[test]
fn what_is_larger_than_all_room_is_given_back_and_not_kept() {
    for bytes in [0, 100_000] {
        let texts = CompressedTexts::new(bytes);
        assert_eq!(texts.keep(&name("\"a\""), &[7; 200_000]), vec![7; 200_000]);
        assert_eq!((texts.get(&name("\"a\"")), texts.bytes()), (None, 0));
    }
}
