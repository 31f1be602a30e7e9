//! The store read from one end to the other, in pages.

use fencepost_domain::{
    action::ActionKind,
    commit::Change,
    export::{LedgerPage, LedgerRow},
    id::{BankVersion, ContentVersion},
    ledger::{Ending, Item},
    puzzle::PuzzleRow,
    revision::Revision,
};

use crate::contract::{
    Fixture,
    steps::{content_with, due, entry, id, ok, photo, row, row_with_photo},
};

/// A page so long that nothing in these cases fills it.
const ALL: u32 = 100;

pub(super) async fn an_empty_site_has_nothing_to_export(f: &Fixture) {
    let exports = &f.stores.exports;
    assert_eq!(f.keeps(exports.bank(None, ALL)).await, []);
    assert_eq!(f.keeps(exports.ledger(None, ALL)).await, []);
    assert_eq!(f.keeps(exports.receipts(Revision::NONE, ALL)).await, []);
    assert_eq!(f.keeps(exports.actions(0, ALL)).await, []);
}

pub(super) async fn the_bank_comes_in_pages_by_number_whatever_the_dates(f: &Fixture) {
    let numbers = [3, 1, 4, 2, 5];
    let rows = numbers.map(|n| PuzzleRow { play_date: row(6 - n).play_date, ..row(n) });
    f.import("e1", rows).await;
    let (mut after, mut seen, mut pages) = (None, Vec::new(), Vec::new());
    loop {
        let page = f.keeps(f.stores.exports.bank(after, 2)).await;
        pages.push(page.len());
        let Some(last) = page.last() else { break };
        after = Some(last.puzzle_id);
        seen.extend(page);
    }
    assert_eq!(pages, [2, 2, 1, 0]);
    let stored = ok(f.stores.bank.stored(&numbers.map(id)).await);
    assert_eq!(seen, stored, "all of them, in the order of their numbers");
}

pub(super) async fn a_page_goes_on_behind_its_key_though_the_bank_changes(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(4)]).await;
    let first = f.keeps(f.stores.exports.bank(None, 2)).await;
    assert_eq!(first.iter().map(|puzzle| puzzle.puzzle_id).collect::<Vec<_>>(), [id(1), id(2)]);

    let renamed = |n| PuzzleRow { name: "Another name".to_owned(), ..row(n) };
    f.import("e2", [renamed(1), row(3), renamed(4)]).await;
    let rest = f.keeps(f.stores.exports.bank(Some(id(2)), 2)).await;
    let told: Vec<_> = rest.iter().map(|puzzle| (puzzle.puzzle_id, puzzle.bank_version.get())).collect();
    assert_eq!(told, [(id(3), 1), (id(4), 2)], "each as it stood when its page was read");
    assert_eq!(f.keeps(f.stores.exports.bank(Some(id(4)), 2)).await, []);
}

pub(super) async fn the_ledger_tells_how_items_and_their_pages_stand(f: &Fixture) {
    f.import("e1", [row_with_photo(1), row(2), row(3), row(9)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(3));
    f.publish_with_photo(1).await;
    let published_at = f.clock.now();
    f.import("e2", [PuzzleRow { name: "Another name".to_owned(), ..row_with_photo(1) }]).await;
    f.clock.advance(1_000);
    f.publish(2).await;
    f.clock.advance(1_000);
    f.withdraw(2).await;
    let hand = f.take(3, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);

    let item = |n| async move { ok(f.stores.ledger.item(id(n)).await).and_then(|it| it.preflight.item) };
    let bare = |n, item: Option<Item>| LedgerRow {
        puzzle_id: id(n),
        play_date: row(n).play_date,
        bank_version: BankVersion::FIRST,
        item: item.expect("it was imported"),
        content_version: ContentVersion::NONE,
        page: LedgerPage::default(),
    };
    let out = LedgerPage {
        page_bank_version: Some(BankVersion::FIRST),
        indexable: Some(true),
        image_key: Some(photo(1)),
        published_at: Some(published_at),
        updated_at: Some(published_at),
        withdrawn_at: None,
    };
    let taken_back = LedgerPage {
        page_bank_version: Some(BankVersion::FIRST),
        indexable: Some(false),
        image_key: None,
        published_at: Some(published_at.plus(1_000)),
        updated_at: Some(published_at.plus(2_000)),
        withdrawn_at: Some(published_at.plus(2_000)),
    };
    let expected = [
        LedgerRow {
            bank_version: BankVersion::FIRST.next(),
            content_version: ContentVersion::new(1),
            page: out,
            ..bare(1, item(1).await)
        },
        LedgerRow { content_version: ContentVersion::new(2), page: taken_back, ..bare(2, item(2).await) },
        bare(3, item(3).await),
        bare(9, item(9).await),
    ];
    assert_eq!(f.keeps(f.stores.exports.ledger(None, ALL)).await, expected);
    assert_eq!(f.keeps(f.stores.exports.ledger(None, 3)).await, expected[..3]);
    assert_eq!(f.keeps(f.stores.exports.ledger(Some(id(1)), 2)).await, expected[1..3]);
    assert_eq!(f.keeps(f.stores.exports.ledger(Some(id(3)), 2)).await, expected[3..]);
    assert_eq!(f.keeps(f.stores.exports.ledger(Some(id(9)), 2)).await, []);
}

pub(super) async fn receipts_come_by_revision_whosever_they_are(f: &Fixture) {
    f.import("e1", [row_with_photo(1), row(2)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(2));
    f.publish(2).await;
    f.publish_with_photo(1).await;
    f.withdraw(2).await;
    let hand = f.take_over(1, "editor").await;
    let renamed = fencepost_domain::page::AnswerContent {
        name: "Another name".to_owned(),
        ..content_with(1, photo(1))
    };
    f.land(&hand.commit("update-1", Change::Update(renamed))).await;

    let all = f.keeps(f.stores.exports.receipts(Revision::NONE, ALL)).await;
    let told: Vec<_> = all.iter().map(|it| (it.revision.get(), it.commit_token.as_str())).collect();
    assert_eq!(told, [(1, "publish-2"), (2, "publish-1"), (3, "withdraw-2"), (4, "update-1")]);
    let of_one = ok(f.stores.ledger.item(id(2)).await).expect("it was imported").receipts;
    assert_eq!([&all[0], &all[2]], [&of_one[0], &of_one[1]], "the same as those of the item");
    let page = f.keeps(f.stores.exports.receipts(Revision::new(1), 2)).await;
    assert_eq!(page, all[1..3]);
    assert_eq!(f.keeps(f.stores.exports.receipts(Revision::new(4), 2)).await, []);
}

pub(super) async fn actions_come_in_the_order_in_which_they_were_done(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    f.clock.advance(-60_000);
    ok(f.stores.ledger.set_paused(false, &entry(ActionKind::Resume)).await);
    let all = f.keeps(f.stores.exports.actions(0, ALL)).await;
    let mut newest_first = ok(f.stores.actions.actions(None, ALL).await);
    newest_first.reverse();
    assert_eq!(all, newest_first);
    let kinds: Vec<_> = all.iter().map(|action| action.action).collect();
    assert_eq!(kinds, [ActionKind::Import, ActionKind::Pause, ActionKind::Resume]);
    assert_eq!(f.keeps(f.stores.exports.actions(all[0].number, 1)).await, all[1..2]);
    assert_eq!(f.keeps(f.stores.exports.actions(all[2].number, 1)).await, []);
}
