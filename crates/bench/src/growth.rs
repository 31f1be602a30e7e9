//! How the cost of everything grows with the site.
//!
//! Each of the [`Operation`]s is done on sites of several [`SIZES`], of which all tables grow
//! together. Two things are told of it: how long it takes, by the product's own store, and
//! how many steps SQLite's machine does for it, which is the same in every run. Both are also
//! told as an *exponent*: what is done by looking at one place has 0, a site that is a hundred
//! times larger costing the same; what looks at everything has 1.
//!
//! The sites are measured in turn, round by round, at `synchronous=NORMAL`, so that what the
//! disk takes to sync does not hide what SQLite takes to find something.

mod meter;

mod operations;

mod fit;

use std::{path::Path, sync::Arc};

use fencepost_adapter_sqlite::Durability;
use fencepost_application::Site;
use fencepost_ports::{StoreCounts, Stores};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    bare::BareStore,
    figures::{Form, Samples, float, median},
    stock::{self, Extent, Stock},
};
use meter::Meter;
use operations::{OPERATIONS, Operation};

/// How many pages of the past the sites have.
const SIZES: [i64; 5] = [10, 100, 1_000, 10_000, 1_000_000];
/// From here on, lists are full, and exponents are told: what is shorter shows less.
const FULL_FROM: i64 = 100;

/// A site, on the product's own store and on nothing but SQLite.
struct Stand {
    stock: Stock,
    own: Site,
    barely: Site,
    bare: Arc<BareStore>,
    _folder: TempDir,
}

/// Measures all operations.
pub(crate) fn measure(form: &Form) -> anyhow::Result<()> {
    let runtime = Runtime::new()?;
    let sizes = form.choose(&SIZES[..3], &SIZES[..]);
    let mut stands = Vec::new();
    for size in sizes {
        println!("a site of {size} is made");
        stands.push(runtime.block_on(Stand::new(*size))?);
    }
    let mut samples = Samples::default();
    for stand in &stands {
        for operation in stand.operations() {
            let [steps, scanned] = runtime.block_on(stand.count(operation))?;
            let case = stand.stock.case(operation.name);
            samples.add(&case, "fencepost", "VM steps", steps);
            samples.add(&case, "fencepost", "rows scanned", scanned);
        }
    }
    let rounds = form.choose(1, 9);
    for round in 1..=rounds {
        println!("round {round} of {rounds}");
        for stand in &stands {
            for operation in stand.operations() {
                stand.stock.restore()?;
                let mut meter = Meter::timing();
                runtime.block_on(operation.run(&stand.own, &stand.stock, &mut meter))?;
                samples.add(&stand.stock.case(operation.name), "fencepost", "µs", meter.time_us());
            }
        }
    }
    add_exponents(&mut samples, &stands);
    samples.into_part("growth").write(&form.output)
}

impl Stand {
    async fn new(size: i64) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let stock = Stock::plant(folder.path(), size, Extent::Whole).await?;
        let store = stock.store(Durability::Normal, &StoreCounts::default()).await?;
        let bare = stock.bare(Durability::Normal)?;
        let site = |stores: Stores, folder: &Path| stock::site_of(stores, folder);
        Ok(Self {
            own: site(Stores::of(store), folder.path())?,
            barely: site(Stores::of(bare.clone()), folder.path())?,
            bare,
            stock,
            _folder: folder,
        })
    }

    /// How many steps an operation takes, and how many rows it scans.
    async fn count(&self, operation: &Operation) -> anyhow::Result<[f64; 2]> {
        self.stock.restore()?;
        let mut meter = Meter::counting(self.bare.runner());
        operation.run(&self.barely, &self.stock, &mut meter).await?;
        Ok(meter.efforts())
    }

    /// What is done on a site of this size.
    fn operations(&self) -> impl Iterator<Item = &'static Operation> {
        OPERATIONS.iter().filter(|operation| self.stock.size() <= operation.up_to)
    }
}

/// The exponents of what was measured.
fn add_exponents(samples: &mut Samples, stands: &[Stand]) {
    for operation in OPERATIONS {
        for unit in ["µs", "VM steps"] {
            let sizes = stands.iter().filter(|stand| stand.stock.size() >= FULL_FROM);
            let points: Vec<_> = sizes
                .filter_map(|stand| {
                    let mut values =
                        samples.find(&stand.stock.case(operation.name), "fencepost", unit)?.to_vec();
                    values.sort_by(f64::total_cmp);
                    Some((float(stand.stock.size()), median(&values)))
                })
                .collect();
            if let Some(exponent) = fit::exponent(&points) {
                samples.add(&format!("{}, {unit}", operation.name), "fencepost", "exponent", exponent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What shows more where there is more, looks at everything on purpose, or looks for what
    /// is seldom among what is kept for some time.
    const GROWING: [&str; 6] =
        ["sitemap read", "list of dead events", "status", "doctor", "page of referenced images", "verify"];

    #[tokio::test]
    async fn nothing_takes_more_steps_on_a_larger_site_but_what_is_known_to() {
        let (small, large) = (Stand::new(FULL_FROM).await.unwrap(), Stand::new(3 * FULL_FROM).await.unwrap());
        for operation in OPERATIONS {
            let counts = [small.count(operation).await.unwrap(), large.count(operation).await.unwrap()];
            let grows = counts[0] != counts[1];
            assert_eq!(grows, GROWING.contains(&operation.name), "{}: {counts:?}", operation.name);
        }
    }
}
