//! Which hosts a Worker may be talked into visiting.
//!
//! An image's address comes from whoever fills the bank, and redirects from whoever runs
//! the image's host. The server therefore looks at the address that a connection will
//! really use. A Worker cannot: it resolves no names and sees no addresses. On Cloudflare
//! it need not, since its requests leave from the edge, where no private network is in
//! reach. But the same program can run on a machine of one's own, next to services that
//! trust their neighbours.
//!
//! So what can be told from the address alone is told. Digits are no name: nobody
//! publishes photos at one, and the platform refuses them anyway. And names that are
//! reserved for private use, or that have no dot and so no place in the public tree, are
//! not visited. A public name that leads to a private address is not recognised; whoever
//! runs the Worker beside private services has to keep it from them by other means.

use url::{Host, Url};

/// The ends of names that are never public (RFC 6761, RFC 6762, RFC 8375, and ICANN's
/// reservation of `.internal`).
const PRIVATE: [&str; 4] = ["localhost", "local", "internal", "home.arpa"];

/// Lets an address pass whose host has a name that may be public.
///
/// # Errors
/// Why it must not be visited.
pub(crate) fn admit(address: &Url) -> Result<(), String> {
    match address.host() {
        Some(Host::Domain(name)) if may_be_public(name) => Ok(()),
        Some(Host::Domain(name)) => Err(format!("{name} is not a public name")),
        Some(Host::Ipv4(digits)) => Err(format!("{digits} is not a public name")),
        Some(Host::Ipv6(digits)) => Err(format!("{digits} is not a public name")),
        None => Err("it names no host".to_owned()),
    }
}

/// Whether a name, in lower case as addresses have it, may be public.
fn may_be_public(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    let lies_in =
        |zone: &str| name.strip_suffix(zone).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    name.contains('.') && !PRIVATE.into_iter().any(lies_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_a_public_name_are_visited() {
        for address in [
            "https://photos.example/a.png",
            "http://photos.example:8080/",
            "https://PHOTOS.EXAMPLE/",
            "https://photos.example./",
            "https://xn--kse-qla.example/",
            "https://notlocal.example/",
            "https://local.example/",
            "https://mylocalhost.com/",
        ] {
            assert_eq!(admit(&Url::parse(address).unwrap()), Ok(()), "{address}");
        }
    }

    #[test]
    fn digits_and_private_names_are_not() {
        for address in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://1.1.1.1/",
            "http://[::1]/",
            "http://[2606:4700::1111]/",
            "http://localhost/",
            "http://LOCALHOST:8787/",
            "http://localhost./",
            "http://a.localhost/",
            "http://printer.local/",
            "http://metadata.google.internal/",
            "http://router.home.arpa/",
            "http://intranet/",
            "http://intranet./",
        ] {
            assert!(admit(&Url::parse(address).unwrap()).is_err(), "{address}");
        }
    }
}
