//! The list of cases. It stands here once: the table that runs cases by name and the
//! macro that makes tests of them are both made from it, and a case that is not listed
//! is dead code, which the compiler reports.

use super::Case;

mod leases;

mod claiming;

mod committing;

mod refusing;

mod fencing;

mod quotas;

mod tracing;

mod finishing;

mod operating;

mod acting;

mod catching_up;

mod finding;

mod importing;

mod images;

mod reading;

mod announcing;

mod exporting;

mod forgetting;

mod reporting;

mod running;

mod builds;

mod verifying;

mod explaining;

mod rehearsing;

mod outbox;

mod alerting;

/// Hands the list of cases to another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __contract_cases {
    ($($then:tt)*) => {
        $($then)* {
            leases: [
                a_free_key_is_claimed_with_fence_one,
                a_live_lease_of_another_is_left_alone,
                the_live_owner_claims_again_with_the_same_fence_and_a_fresh_expiry,
                an_expired_lease_changes_hands_and_its_fence_grows,
                a_released_lease_is_free_at_once_and_its_fence_grows,
                an_absurdly_long_expiry_counts_as_expired,
                no_lease_lives_longer_than_the_longest,
                a_lease_born_expired_is_nobodys,
                each_key_is_a_lease_of_its_own,
                a_takeover_asks_nobody,
                the_live_holder_renews,
                nobody_but_the_live_holder_renews,
                a_lost_lease_stays_lost,
                a_release_keeps_the_row_and_its_fence,
                nobody_but_the_holder_releases,
                a_lease_is_renewed_and_released_by_itself,
            ],
            claiming: [
                an_item_that_is_due_is_claimed_and_marked,
                a_preflight_has_all_that_rendering_needs,
                an_item_is_claimed_at_its_very_instant_and_not_before,
                an_item_that_failed_is_claimed_at_its_next_attempt_and_not_before,
                a_published_item_is_left_alone,
                a_withdrawn_item_is_left_alone,
                a_blocked_item_is_left_alone,
                an_unknown_puzzle_is_left_alone,
                beginning_again_costs_nothing,
                an_item_in_the_hands_of_another_is_left_alone,
                a_lease_without_a_mark_keeps_others_away_too,
                what_a_dead_worker_left_behind_changes_hands,
                a_lease_that_a_clock_left_behind_keeps_nobody_away,
                a_lease_born_expired_marks_nothing,
                a_lease_of_ones_own_marks_nothing_that_may_not_be_claimed,
                a_lease_of_another_item_marks_nothing,
                an_operator_takes_over_in_any_state_and_leaves_it,
                a_takeover_writes_the_lease_and_nothing_else,
                nobody_takes_an_unknown_puzzle_over,
            ],
            committing: [
                a_publication_lands_whole,
                a_page_with_a_photo_is_indexable,
                an_update_lands_whole,
                a_withdrawal_lands_whole,
                a_reinstatement_lands_whole,
                a_page_reads_back_as_it_was_written,
                revisions_count_the_commits_of_all_pages,
                earlier_failures_stay_on_record,
                a_page_keeps_the_date_and_words_that_were_committed,
                a_used_token_changes_nothing_whatever_the_answer,
            ],
            refusing: [
                nothing_refuses_a_sound_attempt,
                another_owner_is_refused,
                another_fence_is_refused,
                an_expired_lease_is_refused,
                what_the_holder_believes_of_the_expiry_does_not_matter,
                a_lease_is_good_to_its_last_millisecond,
                an_item_in_another_state_is_refused,
                an_item_that_is_not_marked_is_not_published,
                an_embargo_that_a_clock_brought_back_is_kept,
                an_edited_puzzle_is_refused,
                another_photo_than_the_stored_one_is_refused,
                the_photo_of_an_address_that_has_changed_is_refused,
                a_photo_of_a_puzzle_without_one_is_refused,
                a_photo_that_is_not_stored_is_refused,
                another_version_of_the_page_is_refused,
                a_page_loses_neither_its_photo_nor_its_place_in_search,
                a_quota_that_is_used_up_is_kept,
                a_paused_site_publishes_nothing_and_takes_back_what_it_must,
                what_never_had_a_page_is_not_reinstated_by_a_commit,
                every_reason_is_told_and_the_strongest_names_the_refusal,
                an_unknown_puzzle_is_refused,
            ],
            fencing: [
                a_writer_that_wakes_up_after_a_change_of_hands_writes_nothing,
                the_same_owner_with_an_older_fence_writes_nothing,
                a_lease_that_expired_unclaimed_writes_nothing,
                a_renewed_lease_goes_on_writing,
                a_takeover_stops_a_writer_at_once,
                one_hand_publishes_once,
                an_item_that_was_moved_meanwhile_is_not_published_early,
                of_two_editors_the_first_wins,
            ],
            quotas: [
                a_higher_setting_lets_more_out_today,
                the_row_of_the_day_decides_over_a_lower_setting,
                a_quota_of_nothing_publishes_nothing_and_leaves_no_row,
                the_day_of_the_commit_counts_not_that_of_the_due_instant,
                only_publications_are_counted,
                a_withdrawal_needs_neither_quota_nor_a_running_site,
            ],
            tracing: [
                an_attempt_that_landed_is_found_by_its_token,
                an_attempt_is_found_after_a_later_commit_overwrote_its_token,
                the_commit_of_another_shows_in_the_version_alone,
                the_commit_of_another_puzzle_is_not_this_ones,
                an_attempt_that_was_refused_leaves_no_trace,
                no_tokens_find_nothing,
                an_unknown_puzzle_has_no_trace,
            ],
            finishing: [
                an_item_is_put_back_as_it_was,
                an_item_that_waits_has_not_failed,
                a_failure_is_counted_and_waits,
                a_lasting_failure_blocks_and_says_why,
                failures_add_up,
                whoever_lost_the_lease_ends_nothing,
                a_lease_of_another_item_ends_nothing,
                a_lease_that_nobody_else_wanted_still_ends_its_attempt,
                an_item_that_is_not_in_hand_is_left_as_it_is_and_its_lease_released,
                a_published_item_stays_published,
                a_finished_item_is_free_for_the_next,
                an_unknown_puzzle_has_nothing_to_end,
            ],
            operating: [
                an_item_is_taken_back_before_it_has_a_page,
                a_blocked_item_is_taken_back_and_has_no_reason_any_more,
                an_item_in_hand_is_taken_back,
                taking_back_twice_counts_once,
                a_page_is_not_taken_back_without_a_receipt,
                whoever_lost_the_lease_takes_nothing_back,
                an_item_that_was_taken_back_is_brought_back_as_new,
                only_what_was_taken_back_is_brought_back,
                a_blocked_item_is_tried_again_and_not_brought_back,
                an_unknown_puzzle_is_neither_taken_back_nor_brought_back,
                a_blocked_item_is_tried_again,
                a_waiting_item_is_tried_again_at_once,
                a_retry_takes_an_item_out_of_the_hands_of_a_worker,
                other_items_are_not_tried_again,
                an_item_is_moved_and_waits_no_longer,
                an_item_is_moved_back_to_the_end_of_play_and_no_further,
                moving_to_the_same_instant_is_no_edit,
                an_item_that_was_moved_meanwhile_is_not_moved,
                an_item_in_hand_or_blocked_is_moved_in_its_state,
                neither_a_page_nor_what_was_taken_back_is_moved,
                an_unknown_puzzle_is_not_moved,
                a_pause_is_a_switch,
            ],
            acting: [
                what_is_done_with_an_item_tells_who_when_why_and_what,
                what_is_done_with_the_site_tells_who_when_why_and_what,
                what_changes_nothing_leaves_no_trace,
                what_was_done_is_not_done_again,
                whoever_saw_what_is_not_so_any_more_sets_nothing,
                a_commit_of_a_person_is_traced_under_its_token_and_that_of_a_job_is_not,
                an_import_is_traced_if_it_changes_something,
                an_edit_of_one_puzzle_is_traced_with_the_puzzle_if_it_changes_it,
                a_run_that_a_person_wants_is_traced_once,
                a_link_to_a_preview_is_traced,
                actions_are_listed_newest_first_and_page_by_page,
                a_quota_set_by_hand_holds_over_every_setting,
                a_quota_set_by_hand_is_that_of_its_day,
            ],
            catching_up: [
                jobs_catch_up_with_everything_unless_somebody_says_otherwise,
                jobs_leave_alone_what_is_older_than_they_may_publish,
                jobs_publish_on_the_day_or_not_at_all_if_that_is_wanted,
                what_is_younger_is_found_behind_what_is_too_late,
                what_became_too_late_in_hand_is_refused_to_a_job_and_lands_for_a_person,
                a_person_takes_in_hand_what_is_too_late_for_jobs_and_nothing_that_is_early,
                a_lease_of_ones_own_marks_nothing_that_is_too_late,
                only_publications_come_too_late,
            ],
            finding: [
                work_is_what_is_due_oldest_first,
                a_backlog_is_found_however_old_it_is,
                work_comes_in_pages,
                only_what_a_job_may_take_is_work,
                work_in_hand_is_shown_as_such,
                a_job_learns_the_time_the_pause_and_the_quota,
                nothing_to_do_wakes_nobody,
                the_next_wake_is_the_first_due_instant,
                a_standstill_wakes_nobody_for_what_is_overdue,
                the_next_wake_heeds_a_wait,
                the_next_wake_heeds_the_lease_of_whoever_may_have_died,
                a_wait_that_a_clock_left_behind_is_over,
                work_whose_photo_is_missing_is_shown_as_such,
                blocked_and_withdrawn_items_wake_nobody,
                people_see_items_newest_first_in_pages,
                people_see_items_in_the_order_of_dates_not_of_numbers,
                people_see_later_items_nearest_first_in_pages,
                people_see_all_that_is_known_of_an_item,
                a_puzzle_before_its_day_is_shown_to_people,
                nothing_is_known_of_an_unknown_puzzle,
            ],
            importing: [
                the_bank_tells_what_it_has_of_some_puzzles,
                a_new_puzzle_gets_its_schedule_and_its_item,
                importing_the_same_again_changes_nothing,
                a_changed_puzzle_gets_a_new_version,
                each_field_alone_is_a_change,
                a_puzzle_that_loses_its_photo_has_none,
                any_text_is_kept_as_it_is,
                a_row_that_replaces_the_version_it_names_lands,
                a_row_that_replaces_an_older_version_refuses_the_whole_import,
                an_unchanged_row_that_names_another_version_refuses_too,
                a_version_of_an_unknown_puzzle_refuses,
                a_row_of_a_puzzle_that_must_be_new_refuses_once_it_is_there,
                a_date_has_one_puzzle,
                the_date_of_a_page_is_fixed,
                every_refused_row_is_told,
                every_reason_of_a_row_is_told,
                puzzles_of_one_import_trade_their_dates,
                a_published_puzzle_trades_its_date_with_nobody,
                a_page_leaves_its_puzzle_open_to_every_other_edit,
                another_grace_window_changes_no_stored_schedule,
                another_date_makes_a_new_schedule,
                a_date_that_was_left_is_free,
                an_edit_lets_a_blocked_item_be_tried_again,
                an_edit_lets_a_waiting_item_be_tried_at_once,
                an_edit_takes_an_item_out_of_hand_and_leaves_a_withdrawn_one,
                a_changed_date_brings_no_postponed_answer_forward,
                a_large_import_lands_whole,
                an_import_without_an_answer_is_settled_by_its_token,
            ],
            images: [
                a_photo_is_wanted_from_shortly_before_play_to_its_end,
                the_photo_that_is_needed_first_comes_first,
                a_photo_that_is_ready_is_not_wanted,
                a_photo_of_another_address_is_not_ready,
                a_photo_that_failed_waits_for_its_next_attempt,
                a_new_address_does_not_wait_for_the_old_one,
                a_puzzle_that_was_taken_back_wants_no_photo,
                a_photo_is_claimed_by_one,
                a_photo_that_is_not_wanted_is_not_claimed,
                a_fetched_photo_is_recorded_and_its_lease_released,
                a_failed_fetch_is_recorded_and_its_lease_released,
                a_later_fetch_replaces_what_was_recorded,
                whoever_lost_the_image_lease_records_nothing,
                a_download_that_outlived_its_lease_counts_unless_it_was_taken_over,
                a_photo_of_an_address_that_was_edited_away_is_not_recorded,
            ],
            reading: [
                an_answer_is_public_from_its_instant_on_and_not_before,
                an_answer_that_is_late_is_not_out,
                an_answer_that_was_taken_back_is_known_as_such,
                an_answer_that_was_taken_back_unpublished_is_unknown,
                an_unknown_puzzle_has_no_answer,
                a_puzzle_of_the_future_is_as_good_as_unknown,
                an_answer_comes_with_its_facts_and_its_page,
                content_comes_with_the_revisions_that_it_was_read_with,
                the_time_of_the_request_decides_not_that_of_the_store,
                neighbours_skip_what_is_not_public,
                an_answer_without_a_page_has_no_neighbours,
                answers_are_listed_newest_first_in_pages,
                dates_order_answers_and_not_numbers,
                a_listed_answer_shows_what_was_committed,
                home_shows_the_newest_answers_only,
                an_embargo_hides_an_answer_from_the_front_page_too,
                the_front_page_lists_no_answer_that_was_taken_back,
                home_shows_the_puzzles_that_are_open,
                home_does_not_show_what_was_taken_back,
                home_shows_all_of_the_open_puzzle_but_its_answer,
                a_photo_is_shown_while_its_puzzle_is_open,
                a_photo_is_shown_on_a_public_page,
                an_embargo_hides_the_photo_of_a_page_too,
                a_photo_of_a_puzzle_that_was_taken_back_is_not_shown,
                a_photo_that_was_replaced_is_not_shown,
                a_page_shows_its_photo_whatever_the_bank_says_since,
                one_photo_of_two_puzzles_is_shown_for_either,
                a_reinstated_page_is_seen_again_everywhere,
                a_moved_answer_keeps_to_its_new_instant,
                a_blocked_answer_is_late_and_no_more,
            ],
            forgetting: [
                old_runs_are_forgotten_but_the_first_and_the_newest_of_each_job,
                whoever_takes_long_is_not_forgotten_before_its_end,
                what_is_not_old_is_kept_to_the_millisecond,
                only_so_many_rows_are_forgotten_at_once,
                tokens_of_old_imports_are_forgotten_and_nothing_of_the_bank,
                delivered_events_are_forgotten_and_never_enqueued_again,
            ],
            exporting: [
                an_empty_site_has_nothing_to_export,
                the_bank_comes_in_pages_by_number_whatever_the_dates,
                a_page_goes_on_behind_its_key_though_the_bank_changes,
                the_ledger_tells_how_items_and_their_pages_stand,
                receipts_come_by_revision_whosever_they_are,
                actions_come_in_the_order_in_which_they_were_done,
            ],
            announcing: [
                a_new_site_announces_nothing,
                an_announced_answer_shows_what_was_committed,
                what_is_announced_comes_with_its_revisions,
                an_embargo_holds_for_feed_and_sitemap_published_or_not,
                what_was_taken_back_is_announced_no_more_until_it_is_back,
                a_page_that_search_engines_may_not_keep_is_in_the_feed_alone,
                the_newest_date_comes_first_and_the_oldest_is_left_out,
                a_text_that_is_too_long_for_the_feed_is_left_out_of_it,
            ],
            reporting: [
                results_are_numbered_from_one_without_a_gap,
                each_puzzle_numbers_its_own,
                a_session_that_reports_again_changes_nothing,
                a_report_that_is_told_twice_is_recorded_once,
                sessions_are_told_apart_to_the_letter,
                a_result_counts_from_the_opening_to_the_end_of_play,
                a_puzzle_of_the_future_takes_no_more_than_an_unknown_one,
                the_stored_end_of_play_decides,
                whoever_has_reported_learns_so_at_any_time,
                neither_item_nor_pause_matters_to_a_result,
                a_full_puzzle_takes_no_more,
                statistics_count_how_games_ended,
                a_row_knows_those_before_it_in_whatever_order_games_end,
                a_session_that_reports_again_is_counted_once,
                a_puzzle_is_played_from_the_opening_to_just_before_its_end,
                a_puzzle_is_played_at_the_time_of_the_request_if_that_is_told,
                a_puzzle_of_the_future_is_played_no_more_than_an_unknown_one,
                what_was_taken_back_unpublished_is_not_played,
                a_guess_is_judged_by_the_stored_row,
            ],
            builds: [
                the_runs_of_some_owners_are_found,
                the_overview_tells_which_builds_have_run_each_job_within_a_day,
                the_newest_runs_tell_which_builds_are_at_work,
            ],
            running: [
                a_moment_has_the_time_and_both_revisions,
                a_moment_knows_the_stretch_of_time_around_it,
                a_moment_tells_whether_an_answer_is_overdue,
                a_run_is_recorded_when_it_begins_and_when_it_ends,
                a_run_ends_with_the_revision_that_it_led_to,
                a_run_ends_with_the_count_of_what_is_due_and_left,
                what_nobody_could_take_in_hand_is_not_left_by_a_run,
                the_overview_of_a_new_site_is_empty,
                the_overview_counts_items_by_state,
                an_item_is_overdue_from_its_instant_on,
                the_overview_shows_who_holds_which_lease,
                the_overview_tells_since_when_something_is_outstanding,
                what_jobs_leave_alone_is_overdue_and_not_outstanding,
                the_overview_shows_the_newest_run_of_each_job_that_has_ended,
                the_overview_remembers_the_first_import_run_or_commit,
                the_overview_shows_the_quota_of_the_present_day,
                the_overview_shows_the_newest_run_of_each_job,
                a_run_reads_back_as_it_ended,
                runs_are_listed_newest_first_and_page_by_page,
            ],
            explaining: [
                nothing_is_named_where_nothing_is_in_the_way,
                an_item_in_the_hands_of_another_is_named_by_its_owner_alone,
                a_blocked_item_is_named_by_its_state_alone,
                an_embargo_is_named_alone,
                a_photo_that_is_missing_is_named_alone,
                a_photo_that_could_not_be_had_is_named_alone,
                a_photo_of_an_earlier_address_is_named_alone,
                a_quota_that_is_used_up_is_named_alone,
                a_pause_is_named_alone,
                what_jobs_do_not_catch_up_with_is_named_alone,
                everything_in_the_way_is_named_together,
            ],
            rehearsing: [
                a_look_sees_what_a_claim_would_and_takes_nothing_in_hand,
                a_rehearsal_tells_what_a_commit_then_does_and_changes_nothing,
                a_rehearsal_takes_over_what_a_dead_worker_left_and_gives_it_back,
                what_was_rehearsed_before_counts_towards_the_quota,
                a_rehearsal_of_what_has_changed_meanwhile_is_refused_as_a_commit_would_be,
            ],
            outbox: [
                nothing_of_the_past_is_enqueued,
                a_commit_is_enqueued_once_with_what_its_receipt_says,
                every_kind_of_commit_is_told_in_the_order_of_revisions,
                a_kind_that_is_not_wanted_is_passed_over_for_good,
                a_commit_that_was_refused_has_no_event,
                an_event_is_claimed_by_one,
                an_event_of_a_dead_worker_is_claimed_by_the_next,
                each_has_an_event_of_its_own_and_the_one_due_longest_comes_first,
                only_kinds_that_are_told_are_claimed,
                a_delivery_is_recorded_and_ends_it,
                a_failure_waits_twice_as_long_each_time_until_the_event_is_dead,
                an_attempt_that_nobody_reports_of_counts_as_one_that_failed,
                a_dead_event_keeps_no_other_waiting,
                a_person_lets_an_event_be_tried_again_from_the_beginning,
                a_retry_of_what_is_to_be_tried_at_once_changes_nothing,
                an_event_in_hand_is_not_taken_away_by_a_retry,
                work_tells_what_is_behind_and_when_to_look_again,
                events_are_listed_newest_first_and_counted_by_state,
            ],
            alerting: [
                a_look_sees_what_the_overview_does,
                an_alert_that_begins_is_one_episode_and_one_event,
                of_two_that_see_the_same_edge_one_writes_it,
                an_alert_that_comes_and_goes_is_one_episode,
                an_alert_ends_when_it_was_gone_for_long_enough,
                an_alert_that_begins_again_is_another_episode,
                what_was_seen_too_long_ago_moves_nothing,
                an_episode_moves_on_only_from_where_it_was_seen,
                an_edge_that_nobody_is_told_of_is_remembered_all_the_same,
                jobs_that_are_silent_are_alerts_of_their_own,
                an_event_of_an_alert_is_claimed_and_listed_with_what_it_tells,
            ],
            verifying: [
                a_long_life_is_sound_at_every_step,
                photos_of_pages_and_ready_photos_are_needed,
                photos_come_in_pages,
            ],
        }
    };
}

macro_rules! table {
    ($($group:ident: [$($case:ident),* $(,)?],)*) => {
        /// Every case.
        pub const CASES: &[Case] = &[
            $($(
                Case {
                    name: concat!(stringify!($group), "::", stringify!($case)),
                    run: |fixture| Box::pin(async move { $group::$case(&fixture).await }),
                },
            )*)*
        ];
    };
}

__contract_cases! { table! }
