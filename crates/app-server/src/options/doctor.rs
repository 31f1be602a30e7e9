//! Options of `doctor`.

use clap::{Args, builder::NonEmptyStringValueParser};
use fencepost_adapter_http::origin;

/// Options of `doctor`: the settings of the server that are to be looked over, which are best
/// given by the same environment.
#[derive(Clone, Debug, Args)]
pub(crate) struct DoctorOptions {
    /// Ask the hosts of photos that are needed next as well, which takes as long as they like
    #[arg(long)]
    pub(crate) photos: bool,
    /// The site's public address; it is asked twice, for whether a cache stands in front of it
    #[arg(long, env = "FENCEPOST_ORIGIN", value_name = "URL", value_parser = origin)]
    pub(crate) origin: Option<String>,
    /// The bearer token of the admin API; better given by the environment
    #[arg(long, env = "FENCEPOST_ADMIN_TOKEN", value_name = "TOKEN", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    pub(crate) admin_token: Option<String>,
    /// The secret; better given by the environment
    #[arg(long, env = "FENCEPOST_SECRET", value_name = "SECRET", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    pub(crate) secret: Option<String>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
