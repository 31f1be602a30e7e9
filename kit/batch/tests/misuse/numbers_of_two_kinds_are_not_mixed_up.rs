#[path = "shared/tables.rs"]
mod tables;

use tables::*;

fn fence(revision: Revision) -> Lease<OrderKey> {
    Lease { key: OrderKey(7), owner: OwnerId::new("me"), fence: revision, expires_at: UnixMillis::new(1) }
}

fn main() {}
