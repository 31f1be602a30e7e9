//! The collections, shown as the rows that a database would hold.

use fencepost_domain::{outbox::Subject, results::DayStats};
use serde_json::{Value, json};

use super::{MemoryStore, Row, State, Tables, sort};
use crate::LoggedRun;

impl MemoryStore {
    /// Everything that is stored, whole and in order.
    pub fn tables(&self) -> Tables {
        self.read(|state, _| state.tables())
    }
}

impl State {
    fn tables(&self) -> Tables {
        let mut tables: Tables = [
            ("job_leases", self.lease_rows()),
            ("puzzles", self.puzzle_rows()),
            ("bank_edits", self.edit_rows()),
            ("publication_items", self.item_rows()),
            ("answer_posts", self.page_rows()),
            ("site_state", self.site_rows()),
            ("commit_receipts", self.receipt_rows()),
            ("daily_quotas", self.quota_rows()),
            ("source_images", self.image_rows()),
            ("visibility_instants", rows(&self.instants, |instant| json!({ "instant": instant }))),
            ("daily_results", self.result_rows()),
            ("operator_actions", self.action_rows()),
            ("job_runs", self.run_rows()),
            ("outbox", self.event_rows()),
            ("alert_episodes", self.episode_rows()),
            ("outbox_cursor", rows(&self.outbox_cursor, |revision| json!({ "id": 1, "revision": revision }))),
        ]
        .into_iter()
        .map(|(name, rows)| (name.to_owned(), rows))
        .collect();
        sort(&mut tables);
        tables
    }

    fn lease_rows(&self) -> Vec<Row> {
        rows(&self.leases, |(key, stored)| {
            json!({
                "key": key.to_string(),
                "owner_id": stored.row.owner,
                "fence": stored.row.fence,
                "expires_at": stored.row.expires_at,
                "updated_at": stored.updated_at,
            })
        })
    }

    fn puzzle_rows(&self) -> Vec<Row> {
        rows(self.puzzles.values(), |stored| {
            json!({
                "puzzle_id": stored.puzzle.puzzle_id,
                "play_date": stored.puzzle.play_date,
                "opens_at": stored.puzzle.opens_at,
                "playable_until": stored.puzzle.playable_until,
                "name": stored.puzzle.name,
                "price_cents": stored.puzzle.price_cents,
                "description": stored.puzzle.description,
                "image_url": stored.puzzle.image_url,
                "bank_version": stored.puzzle.bank_version,
                "edit_token": stored.edit_token,
            })
        })
    }

    fn edit_rows(&self) -> Vec<Row> {
        rows(&self.bank_edits, |(token, edit)| {
            json!({
                "edit_token": token,
                "inserted": edit.inserted,
                "updated": edit.updated,
                "unchanged": edit.unchanged,
                "edited_at": edit.edited_at,
            })
        })
    }

    fn item_rows(&self) -> Vec<Row> {
        rows(&self.items, |(id, item)| {
            json!({
                "puzzle_id": id,
                "state": item.state.as_str(),
                "due_at": item.due_at,
                "attempts": item.attempts,
                "next_attempt_at": item.next_attempt_at,
                "blocked_reason": item.blocked_reason,
            })
        })
    }

    fn page_rows(&self) -> Vec<Row> {
        rows(&self.pages, |(id, stored)| {
            json!({
                "puzzle_id": id,
                "content_version": stored.page.content_version,
                "commit_token": stored.commit_token,
                "bank_version": stored.page.bank_version,
                "play_date": stored.page.content.play_date,
                "name": stored.page.content.name,
                "price_cents": stored.page.content.price_cents,
                "body_html": stored.page.content.body_html,
                "image_key": stored.page.content.image_key,
                "indexable": i64::from(stored.page.indexable),
                "published_at": stored.page.published_at,
                "updated_at": stored.page.updated_at,
                "withdrawn_at": stored.page.withdrawn_at,
            })
        })
    }

    fn site_rows(&self) -> Vec<Row> {
        rows([self], |state| {
            json!({
                "id": 1,
                "publication_revision": state.publication_revision,
                "bank_revision": state.bank_revision,
                "paused": i64::from(state.paused),
                "publish_late": i64::from(state.catch_up.publish_late),
                "skip_older_than": state.catch_up.skip_older_than,
            })
        })
    }

    fn receipt_rows(&self) -> Vec<Row> {
        rows(&self.receipts, |receipt| {
            json!({
                "commit_token": receipt.commit_token,
                "puzzle_id": receipt.puzzle_id,
                "kind": receipt.kind.as_str(),
                "owner_id": receipt.owner_id,
                "fence": receipt.fence,
                "content_version": receipt.content_version,
                "revision": receipt.revision,
                "committed_at": receipt.committed_at,
            })
        })
    }

    fn quota_rows(&self) -> Vec<Row> {
        rows(&self.quotas, |(day, quota)| {
            json!({
                "utc_day": day,
                "published": quota.published,
                "quota": quota.quota,
                "set_quota": quota.set_quota,
            })
        })
    }

    fn image_rows(&self) -> Vec<Row> {
        rows(&self.images, |(id, stored)| {
            let key = stored.image.object_key.as_ref();
            json!({
                "puzzle_id": id,
                "image_url": stored.image.image_url,
                "state": stored.image.state.as_str(),
                "object_key": key,
                "content_type": key.map(|key| key.format().content_type()),
                "bytes": stored.image.bytes,
                "error": stored.image.error,
                "next_attempt_at": stored.next_attempt_at,
                "updated_at": stored.updated_at,
            })
        })
    }

    fn result_rows(&self) -> Vec<Row> {
        let results = self.results.iter().flat_map(|(id, sessions)| {
            let mut by_slot: Vec<_> = sessions.iter().collect();
            by_slot.sort_by_key(|(_, stored)| stored.slot);
            let mut stats = DayStats::default();
            by_slot.into_iter().map(move |(session, stored)| {
                stats.count(stored.result);
                (id, session, stored, stats.won_with)
            })
        });
        rows(results, |(id, session, stored, won_with)| {
            json!({
                "puzzle_id": id,
                "session_id": session.as_str(),
                "slot": stored.slot,
                "outcome": stored.result.outcome().as_str(),
                "guesses_used": stored.result.guesses_used(),
                "report_token": stored.report_token,
                "created_at": stored.created_at,
                "won_with_1": won_with[0],
                "won_with_2": won_with[1],
                "won_with_3": won_with[2],
                "won_with_4": won_with[3],
                "won_with_5": won_with[4],
                "won_with_6": won_with[5],
            })
        })
    }

    fn action_rows(&self) -> Vec<Row> {
        rows(&self.actions, |action| {
            json!({
                "token": action.token,
                "at": action.at,
                "actor": action.actor,
                "action": action.action.as_str(),
                "puzzle_id": action.puzzle_id,
                "reason": action.reason,
                "detail": serde_json::to_string(&action.detail).expect("words and numbers are JSON"),
                "landing": 0,
            })
        })
    }

    fn run_rows(&self) -> Vec<Row> {
        rows(&self.runs, |LoggedRun { run, .. }| {
            json!({
                "run_id": run.run_id,
                "job": run.job.as_str(),
                "owner_id": run.owner_id,
                "build": run.build,
                "utc_day": run.utc_day,
                "started_at": run.started_at,
                "finished_at": run.finished_at,
                "counts": serde_json::to_string(&run.counts).expect("words and numbers are JSON"),
                "error": run.error,
            })
        })
    }

    fn event_rows(&self) -> Vec<Row> {
        rows(&self.outbox, |stored| {
            let entry = &stored.entry;
            let (page, episode) = match &entry.event.subject {
                Subject::Page(page) => (Some(page), None),
                Subject::Alert(alert) => (None, Some(alert.episode.number)),
            };
            json!({
                "number": entry.number,
                "event_id": entry.event.event_id,
                "kind": entry.event.kind(),
                "puzzle_id": page.map(|page| page.puzzle_id),
                "content_version": page.map(|page| page.content_version),
                "revision": page.map(|page| page.revision),
                "happened_at": entry.event.happened_at,
                "created_at": entry.created_at,
                "state": entry.state,
                "attempts": entry.attempts,
                "next_attempt_at": entry.next_attempt_at,
                "claimed_by": stored.claim.as_ref().map(|claim| &claim.owner),
                "claimed_until": stored.claimed_until(),
                "last_error": entry.last_error,
                "delivered_at": entry.delivered_at,
                "episode": episode,
            })
        })
    }

    fn episode_rows(&self) -> Vec<Row> {
        rows(&self.episodes, |stored| {
            let (episode, alert) = (&stored.episode, &stored.episode.alert);
            let cleared = stored.cleared.as_ref();
            json!({
                "number": episode.number,
                "kind": alert.kind,
                "job": alert.job,
                "since": alert.since,
                "count": alert.count,
                "meaning": alert.meaning,
                "remedy": alert.remedy,
                "raised_at": episode.raised_at,
                "raised_by": stored.raised_by,
                "calm_since": stored.calm_since,
                "cleared_at": cleared.map(|it| it.at),
                "cleared_by": cleared.map(|it| &it.by),
            })
        })
    }
}

fn rows<T>(stored: impl IntoIterator<Item = T>, show: impl Fn(T) -> Value) -> Vec<Row> {
    stored.into_iter().map(|it| show(it).as_object().cloned().into_iter().flatten().collect()).collect()
}
