#[path = "shared/tables.rs"]
mod tables;

use tables::*;

async fn run<R: PlanRunner>(store: &Store<R>, chain: Chain<Order>) -> Result<Told<()>, StoreError> {
    store.batch_one(chain).await
}

fn main() {}
