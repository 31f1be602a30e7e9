//! Which test fails when a clause is missing.
//!
//! A mutant shows that a clause is needed somewhere in all that can happen. A test shows
//! what it is for, in a few lines, and names the culprit when it fails. Every clause has
//! both. Most of the tests are cases of the contract, which every store has to pass; each
//! of these is put to the test itself (`trial.rs`).
//!
//! To add a row: the part, the clause, and the test as the stem of its file and its name.
//! A star in a clause stands for anything. The first row that fits counts.

use super::Part;

const GUARD: &[(&str, &str)] = &[
    ("*: lease_owner", "refusing::another_owner_is_refused"),
    ("*: lease_fence", "refusing::another_fence_is_refused"),
    ("*: lease_live", "refusing::an_expired_lease_is_refused"),
    ("*: item_state", "refusing::an_item_in_another_state_is_refused"),
    ("*: item_due", "refusing::an_embargo_that_a_clock_brought_back_is_kept"),
    (
        "*: not_too_late",
        "catching_up::what_became_too_late_in_hand_is_refused_to_a_job_and_lands_for_a_person",
    ),
    ("*: bank_version", "refusing::an_edited_puzzle_is_refused"),
    ("*: image_ready", "refusing::another_photo_than_the_stored_one_is_refused"),
    ("*: content_version", "refusing::another_version_of_the_page_is_refused"),
    ("*: stays_indexable", "refusing::a_page_loses_neither_its_photo_nor_its_place_in_search"),
    ("*: keeps_photo", "refusing::a_page_loses_neither_its_photo_nor_its_place_in_search"),
    ("*: quota_left", "refusing::a_quota_that_is_used_up_is_kept"),
    ("*: not_paused", "refusing::a_paused_site_publishes_nothing_and_takes_back_what_it_must"),
];

const CHAIN: &[(&str, &str)] = &[
    ("commit/count_quota: the token*", "fencing::one_hand_publishes_once"),
    (
        "commit/trace_deed: *",
        "acting::a_commit_of_a_person_is_traced_under_its_token_and_that_of_a_job_is_not",
    ),
    ("commit/release_lease: the token*", "refusing::an_edited_puzzle_is_refused"),
    ("*: the token*", "refusing::another_fence_is_refused"),
    ("*: the statement", "committing::a_publication_lands_whole"),
];

const JUDGEMENT: &[(&str, &str)] = &[
    (
        "a new token for every attempt",
        "lost_answers::each_attempt_has_a_token_of_its_own_and_a_late_one_changes_nothing",
    ),
    ("success is judged by the read-back*", "refusing::another_fence_is_refused"),
    ("*among the receipts", "tracing::an_attempt_that_landed_is_found_by_its_token"),
    ("*by its token", "tracing::the_commit_of_another_shows_in_the_version_alone"),
    ("*not on the page", "tracing::an_attempt_is_found_after_a_later_commit_overwrote_its_token"),
];

const LEASES: &[(&str, &str)] = &[
    (
        "claim: only a lease that has run out changes hands",
        "claiming::an_item_in_the_hands_of_another_is_left_alone",
    ),
    ("claim: the fence grows*", "claiming::what_a_dead_worker_left_behind_changes_hands"),
    ("claim: a lease is not believed*", "claiming::a_lease_that_a_clock_left_behind_keeps_nobody_away"),
    ("claim: whoever asks again*", "claiming::beginning_again_costs_nothing"),
    ("claim: only what is due", "claiming::an_item_is_claimed_at_its_very_instant_and_not_before"),
    (
        "claim: only what has rested",
        "claiming::an_item_that_failed_is_claimed_at_its_next_attempt_and_not_before",
    ),
    ("claim: only what is to come out", "claiming::a_blocked_item_is_left_alone"),
    ("mark: only what*", "claiming::a_lease_of_ones_own_marks_nothing_that_may_not_be_claimed"),
    ("mark: only under the claimer's own lease", "claiming::a_lease_without_a_mark_keeps_others_away_too"),
    ("mark: only under the lease of the item", "claiming::a_lease_of_another_item_marks_nothing"),
    ("mark: only under a lease that is live", "claiming::a_lease_born_expired_marks_nothing"),
    ("take over: the fence grows", "fencing::a_takeover_stops_a_writer_at_once"),
    ("renew: only for the fence*", "leases::nobody_but_the_live_holder_renews"),
    ("renew: only while*", "leases::nobody_but_the_live_holder_renews"),
    ("*: only the lease that was had", "leases::a_lease_is_renewed_and_released_by_itself"),
    ("release: only by the holder", "leases::nobody_but_the_holder_releases"),
    ("photo: only a lease that has run out changes hands", "images::a_photo_is_claimed_by_one"),
    ("photo: the fence grows*", "images::whoever_lost_the_image_lease_records_nothing"),
];

const LEDGER: &[(&str, &str)] = &[
    ("give back: only by the holder", "finishing::whoever_lost_the_lease_ends_nothing"),
    ("give back: only what is in hand", "finishing::a_published_item_stays_published"),
    ("give back: only under the lease*", "finishing::a_lease_of_another_item_ends_nothing"),
    ("withdraw: only what is not out", "operating::a_page_is_not_taken_back_without_a_receipt"),
    ("withdraw: only by the holder", "operating::whoever_lost_the_lease_takes_nothing_back"),
    ("withdraw: only what is traced", "operating::a_page_is_not_taken_back_without_a_receipt"),
    ("*: the bank's revision goes up", "operating::an_item_is_taken_back_before_it_has_a_page"),
    ("*up for what is traced alone", "operating::a_page_is_not_taken_back_without_a_receipt"),
    ("an action has landed*", "acting::what_is_done_with_an_item_tells_who_when_why_and_what"),
    ("pause: only what is traced", "acting::what_was_done_is_not_done_again"),
    ("policy: only what is traced", "acting::what_was_done_is_not_done_again"),
    ("quota: only what is traced", "acting::what_was_done_is_not_done_again"),
    ("retry and reinstate: only what is traced", "operating::other_items_are_not_tried_again"),
    ("reschedule: only what is traced", "operating::neither_a_page_nor_what_was_taken_back_is_moved"),
    (
        "reinstate: only an item that was taken back",
        "operating::a_blocked_item_is_tried_again_and_not_brought_back",
    ),
    ("reinstate: only an item without a page", "operating::only_what_was_taken_back_is_brought_back"),
    ("retry: only the item*", "operating::other_items_are_not_tried_again"),
    ("reschedule: only from where*", "operating::an_item_that_was_moved_meanwhile_is_not_moved"),
    ("retry: only what is not out", "operating::other_items_are_not_tried_again"),
    (
        "reschedule: not before the end of play",
        "operating::an_item_is_moved_back_to_the_end_of_play_and_no_further",
    ),
    ("reschedule: only what is not out", "operating::neither_a_page_nor_what_was_taken_back_is_moved"),
    ("reschedule: the new instant*", "running::a_moment_knows_the_stretch_of_time_around_it"),
];

const BANK: &[(&str, &str)] = &[
    (
        "import: the version that was seen",
        "importing::a_row_that_replaces_an_older_version_refuses_the_whole_import",
    ),
    ("import: only a page keeps*", "importing::another_date_makes_a_new_schedule"),
    ("import: only another date*", "importing::a_page_leaves_its_puzzle_open_to_every_other_edit"),
    ("import: a date is no longer taken*", "importing::puzzles_of_one_import_trade_their_dates"),
    ("import: a changed name*", "importing::each_field_alone_is_a_change"),
    ("import: a published puzzle keeps its date", "importing::the_date_of_a_page_is_fixed"),
    ("import: * only if it was accepted", "importing::a_date_has_one_puzzle"),
    (
        "import: only what is not out is scheduled again",
        "importing::a_page_leaves_its_puzzle_open_to_every_other_edit",
    ),
    ("import: every row counts*", "importing::a_changed_puzzle_gets_a_new_version"),
    ("import: the bank's revision*", "importing::a_changed_puzzle_gets_a_new_version"),
    ("import: the instants*", "importing::a_new_puzzle_gets_its_schedule_and_its_item"),
    ("photo: recorded only by the holder*", "images::whoever_lost_the_image_lease_records_nothing"),
    (
        "photo: recorded only for the address*",
        "images::a_photo_of_an_address_that_was_edited_away_is_not_recorded",
    ),
    ("photo: the bank's revision*", "images::a_fetched_photo_is_recorded_and_its_lease_released"),
    (
        "photo: stored before*",
        "photos::an_image_store_that_fails_is_asked_again_and_then_given_up_for_a_while",
    ),
    ("photo: a put creates*", "disk_blobs::of_eight_concurrent_writers_exactly_one_stores"),
];

const READING: &[(&str, &str)] = &[
    ("answer_posts/home: due", "reading::an_embargo_hides_an_answer_from_the_front_page_too"),
    ("answer_posts/list: due", "reading::answers_are_listed_newest_first_in_pages"),
    ("answer_posts/feed: due", "announcing::an_embargo_holds_for_feed_and_sitemap_published_or_not"),
    ("answer_posts/sitemap: due", "announcing::an_embargo_holds_for_feed_and_sitemap_published_or_not"),
    ("answer_posts/shows_image: due", "reading::an_embargo_hides_the_photo_of_a_page_too"),
    ("answer_posts/list: not withdrawn", "reading::answers_are_listed_newest_first_in_pages"),
    (
        "answer_posts/feed: not withdrawn",
        "announcing::what_was_taken_back_is_announced_no_more_until_it_is_back",
    ),
    (
        "answer_posts/sitemap: not withdrawn",
        "announcing::what_was_taken_back_is_announced_no_more_until_it_is_back",
    ),
    ("answer_posts/shows_image: not withdrawn", "reading::a_photo_is_shown_on_a_public_page"),
    ("answer_posts/home: not withdrawn", "reading::the_front_page_lists_no_answer_that_was_taken_back"),
    ("answer_posts/answer: * neighbours", "reading::neighbours_skip_what_is_not_public"),
    ("answer_posts/home: the puzzle was not*", "reading::home_does_not_show_what_was_taken_back"),
    ("answer_posts/home: the puzzle is not over", "reading::home_shows_the_puzzles_that_are_open"),
    (
        "answer_posts/shows_image: the puzzle was not*",
        "reading::a_photo_of_a_puzzle_that_was_taken_back_is_not_shown",
    ),
    (
        "answer_posts/shows_image: the puzzle is not over",
        "reading::a_photo_is_shown_while_its_puzzle_is_open",
    ),
    ("*the photo is that of the bank's row", "reading::a_photo_that_was_replaced_is_not_shown"),
    (
        "answer_posts/sitemap: indexable",
        "announcing::a_page_that_search_engines_may_not_keep_is_in_the_feed_alone",
    ),
    ("answer_posts/home: the puzzle has opened", "reading::home_shows_the_puzzles_that_are_open"),
    ("answer_posts/shows_image: the puzzle has opened", "reading::a_photo_is_shown_while_its_puzzle_is_open"),
];

const CACHE: &[(&str, &str)] = &[
    ("* in the name", "cache_key::whatever_differs_gets_another_name"),
    (
        "a page is kept under the revision*",
        "serving::what_is_read_after_a_commit_is_kept_under_the_revision_of_the_commit",
    ),
    ("an entry is compared*", "serving::an_entry_of_something_else_is_not_used"),
    ("an entry ends*", "serving::an_entry_is_not_used_after_it_says_itself_that_it_is_over"),
    ("the revision is asked for*", "serving::a_hit_reads_time_and_revision_and_nothing_else"),
];

/// The clauses of a part, with the test of each.
const fn proofs(part: Part) -> &'static [(&'static str, &'static str)] {
    match part {
        Part::Guard => GUARD,
        Part::Chain => CHAIN,
        Part::Judgement => JUDGEMENT,
        Part::Leases => LEASES,
        Part::Ledger => LEDGER,
        Part::Bank => BANK,
        Part::Reading => READING,
        Part::Cache => CACHE,
    }
}

/// The test that fails when this clause is missing, by the stem of its file and its name.
///
/// # Panics
/// If none is named.
pub fn proof(part: Part, clause: &str) -> &'static str {
    let named = proofs(part).iter().find(|(pattern, _)| fits(pattern, clause));
    named.map_or_else(
        || panic!("no test is named for {clause:?} ({}): add a row to mutants/proofs.rs", part.as_str()),
        |(_, test)| test,
    )
}

/// Whether a clause is the pattern, in which a star stands for anything.
fn fits(pattern: &str, clause: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == clause };
    let Some(clause) = clause.strip_prefix(start) else { return false };
    clause.char_indices().map(|(at, _)| at).chain([clause.len()]).any(|at| fits(rest, &clause[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::catalogue;

    #[test]
    fn every_clause_has_a_test_and_every_row_a_clause() {
        let all = catalogue();
        for it in &all {
            proof(it.part, &it.clause);
        }
        for part in Part::ALL {
            for (at, (pattern, _)) in proofs(part).iter().enumerate() {
                let counts = |clause: &str| proofs(part).iter().position(|(it, _)| fits(it, clause));
                let used = all.iter().any(|it| it.part == part && counts(&it.clause) == Some(at));
                assert!(used, "no clause of {} is {pattern:?}", part.as_str());
            }
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert!(fits("a: b", "a: b") && !fits("a: b", "a: b, c") && fits("a: b*", "a: b, c"));
        assert!(fits("*: b", "a: b") && !fits("*: b", "a: b, c") && fits("a: * c", "a: b, c"));
    }
}
