//! What `wrangler.toml` says, as far as a deployment depends on it.

use anyhow::{anyhow, ensure};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The Worker's deployment.
pub(crate) const WRANGLER_TOML: &str = "crates/app-worker/wrangler.toml";

/// The file as a whole.
pub(super) struct Config<'a>(DeTable<'a>);

impl<'a> Config<'a> {
    pub(super) fn parse(text: &'a str) -> anyhow::Result<Self> {
        let table = DeTable::parse(text).map_err(|error| anyhow!("{WRANGLER_TOML} is not TOML: {error}"))?;
        Ok(Self(table.into_inner()))
    }

    /// The names of all environments, the one without a name apart.
    pub(super) fn environments(&self) -> Vec<&str> {
        let named = value(&self.0, "env").and_then(DeValue::as_table);
        named.into_iter().flatten().map(|(name, _)| name.get_ref().as_ref()).collect()
    }

    /// Fails if there is no such environment.
    pub(super) fn require(&self, environment: &str) -> anyhow::Result<()> {
        let known = self.environments();
        ensure!(
            known.contains(&environment),
            "{WRANGLER_TOML} has no environment {environment:?}; it has {}",
            known.join(" and ")
        );
        Ok(())
    }

    /// What only the owner of an account can fill in, and has not: one sentence each.
    pub(super) fn gaps(&self, environment: &str) -> Vec<String> {
        let named = value(&self.0, "env").and_then(DeValue::as_table);
        let own = named.and_then(|named| value(named, environment)).and_then(DeValue::as_table);
        let own = |key: &str| own.and_then(|own| value(own, key));
        let mut gaps = Vec::new();
        for database in own("d1_databases").and_then(DeValue::as_array).into_iter().flatten() {
            let text = |key: &str| database.get_ref().get(key).and_then(|it| it.get_ref().as_str());
            let name = text("database_name").unwrap_or_default();
            let id = text("database_id").unwrap_or_default();
            if id.chars().all(|digit| matches!(digit, '0' | '-')) {
                gaps.push(format!(
                    "the database_id of {name} is a placeholder: `wrangler d1 create {name}` tells the real one"
                ));
            }
        }
        // These are inherited, unlike bindings.
        let inherited = |key: &str| own(key).or_else(|| value(&self.0, key));
        let has_address = ["route", "routes"].into_iter().any(|key| inherited(key).is_some());
        let workers_dev = inherited("workers_dev");
        if !has_address && workers_dev.and_then(DeValue::as_bool) == Some(false) {
            gaps.push(format!("nobody could reach {environment}: give it routes, or set workers_dev = true"));
        }
        gaps
    }
}

fn value<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Option<&'t DeValue<'a>> {
    table.get(key).map(Spanned::get_ref)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"
        workers_dev = false

        [env.staging]
        workers_dev = true
        d1_databases = [{ database_name = "prices-staging", database_id = "6f0c52f2-9b1e-4c53-8ae1-7f0d3c6a5b10" }]

        [env.production]
        d1_databases = [{ database_name = "prices", database_id = "00000000-0000-0000-0000-000000000000" }]

        [env.routed]
        routes = ["prices.example/*"]
    "#;

    fn check(environment: &str, expected: &[&str]) {
        let gaps = Config::parse(FILE).unwrap().gaps(environment);
        assert_eq!(gaps.len(), expected.len(), "{environment}: {gaps:?}");
        for (gap, part) in gaps.iter().zip(expected) {
            assert!(gap.contains(part), "{environment}: {gap}");
        }
    }

    #[test]
    fn what_a_person_has_to_fill_in_is_named() {
        check("staging", &[]);
        check("production", &["wrangler d1 create prices", "routes"]);
        check("routed", &[]);
    }

    #[test]
    fn an_unknown_environment_is_refused_with_the_known_ones() {
        let config = Config::parse(FILE).unwrap();
        assert!(config.require("staging").is_ok());
        let error = config.require("live").unwrap_err().to_string();
        assert!(error.contains("\"live\"") && error.contains("production and routed and staging"), "{error}");
    }

    #[test]
    fn the_file_of_the_worker_has_the_environments_that_the_help_names() {
        let file = include_str!("../../../crates/app-worker/wrangler.toml");
        assert_eq!(Config::parse(file).unwrap().environments(), ["production", "staging"]);
    }
}
