//! Leases with fencing tokens.

use fencepost_domain::{
    id::Fence,
    lease::{Lease, LeaseKey, LeaseRow, MAX_LEASE_MS},
    time::UnixMillis,
};

use crate::contract::{
    Fixture,
    lines::{becomes, first_claim},
    steps::{TTL_MS, id, ok, opens, owner, publication},
};

/// Claims the key of the cases, and returns the row that stands.
async fn claim(f: &Fixture, name: &str) -> LeaseRow {
    ok(f.stores.leases.claim(publication(1), &owner(name), TTL_MS).await)
}

fn lease(name: &str, fence: i64, expires_at: UnixMillis) -> Lease {
    Lease { key: publication(1), owner: owner(name), fence: Fence::new(fence), expires_at }
}

/// Checks who holds the key of the cases after `name` has claimed it.
async fn check(f: &Fixture, name: &str, expected_owner: &str, expected_fence: i64) {
    let row = claim(f, name).await;
    assert_eq!((row.owner.as_str(), row.fence.get()), (expected_owner, expected_fence), "{name} claimed");
}

pub(super) async fn a_free_key_is_claimed_with_fence_one(f: &Fixture) {
    let expected = lease("ada", 1, opens(1).plus(TTL_MS));
    let row = f
        .changes(
            f.stores.leases.claim(publication(1), &owner("ada"), TTL_MS),
            [first_claim(&expected, opens(1))],
        )
        .await;
    assert_eq!((row.owner, row.fence, row.expires_at), (expected.owner, expected.fence, expected.expires_at));
}

pub(super) async fn a_live_lease_of_another_is_left_alone(f: &Fixture) {
    let held = claim(f, "ada").await;
    f.clock.advance(TTL_MS - 1);
    let seen = f.keeps(f.stores.leases.claim(publication(1), &owner("bob"), TTL_MS)).await;
    assert_eq!(seen, held);
}

pub(super) async fn the_live_owner_claims_again_with_the_same_fence_and_a_fresh_expiry(f: &Fixture) {
    let first = claim(f, "ada").await;
    let now = f.clock.advance(TTL_MS - 1);
    let again = f
        .changes(
            f.stores.leases.claim(publication(1), &owner("ada"), TTL_MS),
            [
                becomes("job_leases", publication(1), "expires_at", first.expires_at, now.plus(TTL_MS)),
                becomes("job_leases", publication(1), "updated_at", opens(1), now),
            ],
        )
        .await;
    assert_eq!(again, LeaseRow { expires_at: now.plus(TTL_MS), ..first });
}

pub(super) async fn an_expired_lease_changes_hands_and_its_fence_grows(f: &Fixture) {
    check(f, "ada", "ada", 1).await;
    f.clock.advance(TTL_MS);
    check(f, "bob", "bob", 2).await;
    f.clock.advance(TTL_MS);
    check(f, "bob", "bob", 3).await;
}

pub(super) async fn a_released_lease_is_free_at_once_and_its_fence_grows(f: &Fixture) {
    let row = claim(f, "ada").await;
    ok(f.stores.leases.release(&lease("ada", 1, row.expires_at)).await);
    check(f, "ada", "ada", 2).await;
}

pub(super) async fn an_absurdly_long_expiry_counts_as_expired(f: &Fixture) {
    ok(f.stores.leases.claim(publication(1), &owner("ada"), MAX_LEASE_MS).await);
    check(f, "bob", "ada", 1).await;
    f.clock.advance(-1);
    check(f, "bob", "bob", 2).await;
}

pub(super) async fn no_lease_lives_longer_than_the_longest(f: &Fixture) {
    let longest = f.clock.now().plus(MAX_LEASE_MS);
    let row = ok(f.stores.leases.claim(publication(1), &owner("ada"), MAX_LEASE_MS + 1).await);
    assert_eq!(row.expires_at, longest, "claimed");
    let lease = lease("ada", 1, row.expires_at);
    let renewed = ok(f.stores.leases.renew(&lease, i64::MAX).await);
    assert_eq!(renewed.map(|lease| lease.expires_at), Some(longest), "renewed");
    let row = ok(f.stores.leases.take_over(publication(1), &owner("bob"), MAX_LEASE_MS + 1).await);
    assert_eq!(row.expires_at, longest, "taken over");
}

pub(super) async fn a_lease_born_expired_is_nobodys(f: &Fixture) {
    let row = ok(f.stores.leases.claim(publication(1), &owner("ada"), 0).await);
    assert!(!row.is_live(f.clock.now()));
    check(f, "bob", "bob", 2).await;
}

pub(super) async fn each_key_is_a_lease_of_its_own(f: &Fixture) {
    check(f, "ada", "ada", 1).await;
    for key in [publication(2), LeaseKey::Image(id(1))] {
        let row = ok(f.stores.leases.claim(key, &owner("bob"), TTL_MS).await);
        assert_eq!((row.owner, row.fence), (owner("bob"), Fence::FIRST), "{key}");
    }
    check(f, "eve", "ada", 1).await;
}

pub(super) async fn a_takeover_asks_nobody(f: &Fixture) {
    let take_over = async |name: &str| {
        ok(f.stores.leases.take_over(publication(1), &owner(name), TTL_MS).await).fence.get()
    };
    assert_eq!(take_over("ada").await, 1, "a free key");
    assert_eq!(take_over("bob").await, 2, "a live lease of another");
    assert_eq!(take_over("bob").await, 3, "one's own live lease");
    f.clock.advance(TTL_MS);
    assert_eq!(take_over("ada").await, 4, "an expired lease");
    check(f, "bob", "ada", 4).await;
}

pub(super) async fn the_live_holder_renews(f: &Fixture) {
    let held = claim(f, "ada").await;
    let mine = lease("ada", 1, held.expires_at);
    let now = f.clock.advance(TTL_MS - 1);
    let renewed = f
        .changes(
            f.stores.leases.renew(&mine, 60_000),
            [
                becomes("job_leases", publication(1), "expires_at", held.expires_at, now.plus(60_000)),
                becomes("job_leases", publication(1), "updated_at", opens(1), now),
            ],
        )
        .await;
    assert_eq!(renewed, Some(Lease { expires_at: now.plus(60_000), ..mine }));
}

pub(super) async fn nobody_but_the_live_holder_renews(f: &Fixture) {
    let refused = async |lease: Lease, why: &str| {
        assert_eq!(f.keeps(f.stores.leases.renew(&lease, TTL_MS)).await, None, "{why}");
    };
    refused(lease("ada", 1, opens(2)), "a key that was never claimed").await;
    let row = claim(f, "ada").await;
    // Or a renewal would write what is there.
    f.clock.advance(1_000);
    refused(lease("bob", 1, row.expires_at), "another owner").await;
    refused(lease("ada", 2, row.expires_at), "a later fence").await;
    refused(lease("ada", 0, row.expires_at), "an earlier fence").await;
    f.clock.advance(TTL_MS);
    refused(lease("ada", 1, opens(2)), "an expired lease, whatever its holder believes").await;
}

pub(super) async fn a_lost_lease_stays_lost(f: &Fixture) {
    let mine = lease("ada", 1, claim(f, "ada").await.expires_at);
    f.clock.advance(TTL_MS);
    let theirs = lease("bob", 2, claim(f, "bob").await.expires_at);
    assert_eq!(f.keeps(f.stores.leases.renew(&mine, TTL_MS)).await, None, "while another holds it");
    ok(f.stores.leases.release(&theirs).await);
    assert_eq!(f.keeps(f.stores.leases.renew(&mine, TTL_MS)).await, None, "once it is free");
    check(f, "ada", "ada", 3).await;
    assert_eq!(f.keeps(f.stores.leases.renew(&mine, TTL_MS)).await, None, "under the same name again");
}

pub(super) async fn a_release_keeps_the_row_and_its_fence(f: &Fixture) {
    let held = claim(f, "ada").await;
    let now = f.clock.advance(1_000);
    let released = f
        .changes(
            f.stores.leases.release(&lease("ada", 1, held.expires_at)),
            [
                becomes("job_leases", publication(1), "expires_at", held.expires_at, 0),
                becomes("job_leases", publication(1), "updated_at", opens(1), now),
            ],
        )
        .await;
    assert_eq!(released, Some(LeaseRow { expires_at: UnixMillis::new(0), ..held }));
}

pub(super) async fn nobody_but_the_holder_releases(f: &Fixture) {
    let nothing = f.keeps(f.stores.leases.release(&lease("ada", 1, opens(2)))).await;
    assert_eq!(nothing, None, "a key that was never claimed");
    let held = claim(f, "ada").await;
    for other in [lease("bob", 1, held.expires_at), lease("ada", 2, held.expires_at)] {
        let seen = f.keeps(f.stores.leases.release(&other)).await;
        assert_eq!(seen.as_ref(), Some(&held), "{other:?}");
    }
}

pub(super) async fn a_lease_is_renewed_and_released_by_itself(f: &Fixture) {
    let held = claim(f, "ada").await;
    for key in [publication(2), LeaseKey::Image(id(1))] {
        ok(f.stores.leases.claim(key, &owner("ada"), TTL_MS).await);
    }
    let mine = lease("ada", 1, held.expires_at);
    let renewed = f.clock.advance(1_000);
    f.changes(
        f.stores.leases.renew(&mine, TTL_MS),
        [
            becomes("job_leases", publication(1), "expires_at", held.expires_at, renewed.plus(TTL_MS)),
            becomes("job_leases", publication(1), "updated_at", opens(1), renewed),
        ],
    )
    .await;
    let now = f.clock.advance(1_000);
    f.changes(
        f.stores.leases.release(&mine),
        [
            becomes("job_leases", publication(1), "expires_at", renewed.plus(TTL_MS), 0),
            becomes("job_leases", publication(1), "updated_at", renewed, now),
        ],
    )
    .await;
}
