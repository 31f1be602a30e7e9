//! [`AlertLog`], by plans.

use async_trait::async_trait;
use fencepost_domain::id::OwnerId;
use fencepost_ports::{AlertLog, AlertLook, EventKind, StoreError, Turned, Turns};
use fencepost_sql::alert_log as plan;

use crate::{PlanRunner, PlanStore};

#[async_trait]
impl<R: PlanRunner> AlertLog for PlanStore<R> {
    async fn look(&self) -> Result<AlertLook, StoreError> {
        self.0.read_one(plan::look()).await
    }

    async fn turn(&self, turns: &Turns, kinds: &[EventKind], owner: &OwnerId) -> Result<Turned, StoreError> {
        self.0.batch_one(plan::turn(turns, kinds, owner)).await
    }
}
