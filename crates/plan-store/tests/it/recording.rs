//! A runner that writes down what it is given, and has no rows.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use fencepost_plan_store::{PlanRunner, not_raised};
use fencepost_ports::StoreError;
use fencepost_sql::{Batch, FailingBatch, Query};

/// How many statements each call had.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording(Arc<Mutex<Vec<usize>>>);

impl Recording {
    pub(crate) fn calls(&self) -> Vec<usize> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait]
impl PlanRunner for Recording {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        self.0.lock().unwrap().push(batch.writes.len() + 1);
        Ok(Vec::new())
    }

    async fn read<T: Send>(&self, _: Query<T>) -> Result<Vec<T>, StoreError> {
        self.0.lock().unwrap().push(1);
        Ok(Vec::new())
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        self.0.lock().unwrap().push(batch.statements().count());
        Err(not_raised(&batch, false))
    }
}
