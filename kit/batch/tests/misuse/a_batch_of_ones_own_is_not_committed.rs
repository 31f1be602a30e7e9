#[path = "shared/tables.rs"]
mod tables;

use tables::*;

async fn commit<R: PlanRunner>(
    store: &Store<R>,
    patience: Patience<'_>,
    change: &Change<'_, Order>,
) -> Result<Committed, StoreError> {
    let batch = |attempt| {
        let mut batch = Chain::begin(attempt, change, &SHIP, ["Kyoto".into()])
            .then(&WRITE_RECEIPT, [])
            .read_back(&READ_BACK, |_| Ok(()))
            .into_batch();
        batch.writes.push(Statement::new(&COUNT, Vec::new()));
        batch
    };
    store.commit(patience, change, &TRACE, batch).await
}

fn main() {}
