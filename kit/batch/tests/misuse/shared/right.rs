#[path = "tables.rs"]
mod tables;

use tables::*;

/// What the other cases get wrong, done right: that they do not compile is for no other reason.
async fn commit<R: PlanRunner>(
    store: &Store<R>,
    patience: Patience<'_>,
    lease: &Lease<OrderKey>,
) -> Result<Committed, StoreError> {
    let change = change(lease);
    let batch = |attempt| {
        Chain::begin(attempt, &change, &SHIP, ["Kyoto".into()])
            .then(&WRITE_RECEIPT, [])
            .read_back(&READ_BACK, |_| Ok(()))
    };
    store.commit(patience, &change, &TRACE, batch).await
}

fn main() {
    let lease = Lease {
        key: OrderKey(7),
        owner: OwnerId::new("me"),
        fence: Fence::FIRST,
        expires_at: UnixMillis::new(1),
    };
    let attempt = Attempt::vouched_for(CommitToken::new("drawn at random"));
    let chain = Chain::begin(attempt, &change(&lease), &SHIP, ["Kyoto".into()]).then(&WRITE_RECEIPT, []);
    let batch = chain.read_back(&READ_BACK, |_| Ok(())).into_batch();
    assert_eq!(batch.statements().count(), 3);
}
