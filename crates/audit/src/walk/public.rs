//! What may be looked at: nothing else may stand there, and every way to ask tells the same.

use std::collections::VecDeque;

use fencepost_domain::time::UnixMillis;

use super::{Depth, REVISION, Walk, by_distance};
use crate::{
    ask::{Answer, AskError, Question},
    bank::Standing,
    compare::{Difference, differences_of_head, differences_over_time},
    finding::{Finding, Kind},
    links::links,
    reading::Reading,
    surfaces::{addresses, around, looks},
};

/// What counts as it goes, and is never kept: two answers to one question may differ.
const LIVE: &[&str] = &["/metrics"];

impl Walk<'_> {
    /// Looks at everything that may be looked at, and for what should not stand there.
    pub(super) async fn public(&mut self, now: UnixMillis, depth: Depth) -> Result<(), AskError> {
        let told = by_distance(self.bank, now, |standing| standing != Standing::Hidden, |it| it.due_at);
        let near = told.iter().copied().take(depth.nearest());
        let mut seen = addresses(near);
        let further = told.iter().skip(depth.nearest()).take(depth.further());
        seen.extend(further.map(|puzzle| format!("/answers/{}", puzzle.id)));
        if depth == Depth::Full {
            let known = by_distance(self.bank, now, |_| true, |it| it.opens_at);
            let around = around(known.into_iter().take(2 * depth.nearest()), self.bank);
            seen.extend(around.into_iter().map(|id| format!("/answers/{id}")));
        }
        let mut ahead: VecDeque<_> = seen.iter().cloned().collect();
        while let Some(path) = ahead.pop_front() {
            for link in self.address(&path, depth).await? {
                if seen.len() < depth.addresses() && seen.insert(link.clone()) {
                    ahead.push_back(link);
                }
            }
        }
        self.report.addresses.extend(seen);
        Ok(())
    }

    /// Looks at one address in every way, cold and warm, and returns where it leads.
    async fn address(&mut self, path: &str, depth: Depth) -> Result<Vec<String>, AskError> {
        let get = Question::new("GET", path);
        let cold = self.ask(&get).await?;
        let head = self.ask(&Question::new("HEAD", path)).await?;
        if depth == Depth::Full {
            for look in looks(path) {
                self.ask(&look).await?;
            }
            if let Some(tag) = cold.header("etag") {
                self.ask(&get.clone().with("if-none-match", tag)).await?;
            }
        }
        if self.site.has_token() {
            // What an operator is told must not be kept for others.
            self.ask(&get.clone().by_operator()).await?;
        }
        let warm = self.ask(&get).await?;
        if [&cold, &head, &warm].iter().any(|answer| answer.is_fault()) {
            self.report.unsettled.insert(get.words());
            return Ok(Vec::new());
        }
        self.judge(&get, [&cold, &warm], Kind::WarmDiffers, differences_over_time(&cold, &warm)).await?;
        let head_question = Question::new("HEAD", path);
        // What changed in between is nothing that the method did.
        let differs = [&cold, &warm].map(|get| differences_of_head(get, &head));
        let least = differs.into_iter().min_by_key(Vec::len).unwrap_or_default();
        self.judge(&head_question, [&cold, &warm], Kind::HeadDiffers, least).await?;
        Ok(Reading::of_body(&warm).map(|_| links(&String::from_utf8_lossy(&warm.body))).unwrap_or_default())
    }

    /// Reports differences, unless the site changed in between.
    async fn judge(
        &mut self,
        question: &Question,
        [cold, warm]: [&Answer; 2],
        kind: Kind,
        mut differences: Vec<Difference>,
    ) -> Result<(), AskError> {
        if LIVE.iter().any(|live| question.path.starts_with(live)) {
            differences.retain(|(what, _)| what == "status");
        }
        let revision = |answer: &Answer| answer.header(REVISION).map(str::to_owned);
        let crossed = self.bank.next_instant(cold.window.from).is_some_and(|at| at <= warm.window.until);
        if differences.is_empty() || crossed || revision(cold) != revision(warm) {
            return Ok(());
        }
        if self.has_changed(question, kind).await? {
            self.report.unsettled.insert(question.words());
            return Ok(());
        }
        for (what, evidence) in differences {
            let at = warm.window.until;
            let surface = question.words();
            self.report.find(Finding { kind, surface, at, puzzle_id: None, what, evidence });
        }
        Ok(())
    }

    /// Whether a difference may be a change of the bank, such as a photo that has arrived. An
    /// operator is told; others can only see whether it happens again.
    async fn has_changed(&mut self, question: &Question, kind: Kind) -> Result<bool, AskError> {
        if self.site.has_token() {
            let revisions = self.revisions().await?;
            let has_changed = revisions != self.revisions;
            self.revisions = revisions;
            return Ok(has_changed);
        }
        let [cold, warm] = [self.ask(question).await?, self.ask(question).await?];
        Ok(kind == Kind::WarmDiffers && differences_over_time(&cold, &warm).is_empty())
    }
}
