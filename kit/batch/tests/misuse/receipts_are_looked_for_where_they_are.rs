#[path = "shared/tables.rs"]
mod tables;

use tables::*;

async fn commit<R: PlanRunner>(
    store: &Store<R>,
    patience: Patience<'_>,
    change: &Change<'_, Order>,
) -> Result<Committed, StoreError> {
    let batch = |attempt| {
        Chain::begin(attempt, change, &SHIP, ["Kyoto".into()])
            .then(&WRITE_RECEIPT, [])
            .read_back(&READ_BACK, |_| Ok(()))
    };
    store.commit(patience, change, &TRACE_INVOICE, batch).await
}

fn main() {}
