//! The workers: the real site behind the real router, once per worker.

use std::sync::Arc;

use axum::Router;
use fencepost_adapter_http::{AdminToken, HttpConfig, router};
use fencepost_application::{Counters, Resolutions, Settings, Site};
use fencepost_plan_store::{Metered, PlanStore};
use fencepost_ports::{Budget, Stores};

use crate::{
    plan::WorkerPlan,
    ports::{Centre, Host, Names, Network, Pauses, Photos},
    world::Sim,
};

/// The token of every worker's admin API.
pub(crate) const TOKEN: &str = "simulated";

/// One worker.
#[derive(Clone)]
pub(crate) struct Worker {
    pub(crate) plan: WorkerPlan,
    pub(crate) router: Router,
    sim: Sim,
}

impl Worker {
    pub(crate) fn new(sim: &Sim, plan: WorkerPlan) -> Self {
        let config = HttpConfig {
            origin: Some("https://prices.example".to_owned()),
            environment: "simulation".to_owned(),
            admin_token: AdminToken::new(TOKEN).ok(),
            build_version: plan.build,
            ..HttpConfig::new(site(sim, &plan, Budget::unlimited()))
        };
        Self { plan, router: router(config), sim: sim.clone() }
    }

    /// The site as an operator's command uses it.
    pub(crate) fn site_for_people(&self) -> Site {
        site(&self.sim, &self.plan, Budget::unlimited())
    }

    /// The site of one run, with the budget of one invocation.
    pub(crate) fn site_of_a_run(&self) -> Site {
        let budget = self.plan.budget.map_or_else(Budget::unlimited, Budget::of);
        site(&self.sim, &self.plan, budget)
    }
}

fn site(sim: &Sim, plan: &WorkerPlan, budget: Budget) -> Site {
    let network = Network { sim: sim.clone() };
    Site {
        stores: Stores::of(Arc::new(PlanStore::new(Metered::new(network, budget.clone())))),
        blobs: Arc::new(Photos { sim: sim.clone(), budget: budget.clone() }),
        image_source: Arc::new(Host { sim: sim.clone(), budget: budget.clone() }),
        cache: Arc::new(Centre { sim: sim.clone(), number: plan.centre, budget: budget.clone() }),
        tokens: Arc::new(Names { sim: sim.clone() }),
        timer: Arc::new(Pauses { sim: sim.clone() }),
        budget,
        resolutions: Resolutions::default(),
        counters: Counters::default(),
        outlet: None,
        settings: Settings {
            instance: plan.name.to_owned(),
            build: plan.build.to_owned(),
            grace_ms: plan.grace_ms,
            lease_ms: plan.lease_ms,
            daily_quota: plan.daily_quota,
            keep_days: 1,
        },
    }
}
