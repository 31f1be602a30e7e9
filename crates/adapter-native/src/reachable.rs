//! Which addresses a request may connect to.
//!
//! An image's address comes from whoever fills the bank, and redirects from whoever runs
//! the image's host. Fetched without a second look, either can make the server read what
//! only the server can reach: an admin page on loopback, a neighbour in the same network,
//! a cloud's metadata service with its credentials at 169.254.169.254.
//!
//! The look has to fall on the address that the connection will really use. A check of
//! the name before the request asks the name server once, and the connection asks again;
//! whoever runs the name server can answer differently the second time (*DNS
//! rebinding*). So [`GuardedResolver`] sits inside the client, and the client connects to
//! what it returns and nothing else. It is never asked about an address written as
//! digits, so those are looked at before every hop, as the URL parser understood them:
//! `0x7f000001`, `2130706433` and `127.1` are all 127.0.0.1 by then.
//!
//! What counts as public follows IANA's registries of special-purpose addresses. For
//! IPv4 they are exceptions to be listed. For IPv6 only `2000::/3` has ever been handed
//! out, so everything outside of it is refused without a list.
//!
//! <https://www.iana.org/assignments/iana-ipv4-special-registry>
//! <https://www.iana.org/assignments/iana-ipv6-special-registry>

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use reqwest::{
    Client,
    dns::{Addrs, Name, Resolve, Resolving},
    header::HeaderMap,
};
use url::{Host, Url};

use crate::trusted_roots;

/// The addresses that photos may be fetched from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reachable {
    /// Only those that are routed on the public Internet.
    #[default]
    Public,
    /// Those, and the named networks: an image host of one's own, without opening the
    /// rest of the private world.
    PublicAnd(Vec<IpNet>),
    /// Every address, loopback and the cloud's metadata service included.
    Everything,
}

impl Reachable {
    /// Whether a connection to `address` is allowed.
    pub fn admits(&self, address: IpAddr) -> bool {
        // An IPv4 address in IPv6 clothes is judged as what it is.
        let address = address.to_canonical();
        match self {
            Self::Public => is_public(address),
            Self::PublicAnd(networks) => {
                is_public(address) || networks.iter().any(|network| network.contains(&address))
            }
            Self::Everything => true,
        }
    }
}

impl Reachable {
    /// Why `url` must not be connected to, as far as its digits tell: the resolver is never
    /// asked about those.
    pub(crate) fn refusal(&self, url: &Url) -> Option<RefusedAddress> {
        let address = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            Some(Host::Domain(_)) | None => return None,
        };
        (!self.admits(address)).then_some(RefusedAddress(address))
    }
}

/// A client that connects to no name that leads elsewhere than to `reachable` addresses. It
/// follows no redirect, repeats nothing and asks no proxy: either would lead out of reach of
/// the check.
pub(crate) fn guarded_client(
    reachable: &Arc<Reachable>,
    connect_timeout: Duration,
    headers: HeaderMap,
) -> Client {
    Client::builder()
        .user_agent(concat!("fencepost/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .tls_backend_preconfigured(trusted_roots::tls_client())
        .dns_resolver(GuardedResolver(Arc::clone(reachable)))
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(connect_timeout)
        .build()
        .expect("a client with finished TLS settings and constant headers can be built")
}

/// A connection that was refused for where it would have led.
#[derive(Debug, thiserror::Error)]
#[error("{0} is not a public address")]
pub(crate) struct RefusedAddress(pub(crate) IpAddr);

/// Resolves names like the operating system does, and keeps to itself what must not be
/// connected to.
struct GuardedResolver(Arc<Reachable>);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reachable = Arc::clone(&self.0);
        Box::pin(async move {
            // The client puts the port of the URL in place of 0.
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let (admitted, refused): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|address| reachable.admits(address.ip()));
            match refused.first() {
                Some(address) if admitted.is_empty() => Err(RefusedAddress(address.ip()).into()),
                _ => Ok(Box::new(admitted.into_iter()) as Addrs),
            }
        })
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|network| network.contains(&address))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if NAT64.contains(&address) {
        // The only way to an IPv4 host from a network that has no IPv4.
        let [.., a, b, c, d] = address.octets();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    GLOBAL_UNICAST.contains(&address) && !SPECIAL_V6.iter().any(|network| network.contains(&address))
}

const SPECIAL_V4: [Ipv4Net; 17] = [
    v4([0, 0, 0, 0], 8),          // this network
    v4([10, 0, 0, 0], 8),         // private
    v4([100, 64, 0, 0], 10),      // shared by the customers of a carrier
    v4([127, 0, 0, 0], 8),        // loopback
    v4([168, 63, 129, 16], 32),   // public by number, but the host platform of a virtual machine on Azure
    v4([169, 254, 0, 0], 16),     // link-local, cloud metadata
    v4([172, 16, 0, 0], 12),      // private
    v4([192, 0, 0, 0], 24),       // protocol assignments
    v4([192, 0, 2, 0], 24),       // documentation
    v4([192, 88, 99, 0], 24),     // relays of 6to4, withdrawn
    v4([192, 168, 0, 0], 16),     // private
    v4([198, 18, 0, 0], 15),      // benchmarking
    v4([198, 51, 100, 0], 24),    // documentation
    v4([203, 0, 113, 0], 24),     // documentation
    v4([224, 0, 0, 0], 4),        // multicast
    v4([240, 0, 0, 0], 4),        // reserved
    v4([255, 255, 255, 255], 32), // broadcast
];

const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0], 3);

const SPECIAL_V6: [Ipv6Net; 4] = [
    v6([0x2001, 0], 23),     // protocol assignments, among them Teredo, benchmarking, ORCHID
    v6([0x2001, 0xdb8], 32), // documentation
    v6([0x2002, 0], 16),     // 6to4, withdrawn: an IPv4 address, private ones too, in IPv6 clothes
    v6([0x3fff, 0], 20),     // documentation
];

const NAT64: Ipv6Net = v6([0x64, 0xff9b], 96);

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6([a, b]: [u16; 2], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), prefix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reachable: &Reachable, expected: bool, addresses: &[&str]) {
        for address in addresses {
            let parsed = address.parse().unwrap();
            assert_eq!(reachable.admits(parsed), expected, "{address} under {reachable:?}");
        }
    }

    #[test]
    fn hosts_of_the_public_internet_are_admitted() {
        check(
            &Reachable::Public,
            true,
            &[
                "1.1.1.1",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "128.0.0.1",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "198.17.255.255",
                "198.20.0.0",
                "223.255.255.255",
                "2001:200::1",
                "2606:4700:4700::1111",
                "2a00:1450:4001:81c::200e",
                "::ffff:1.1.1.1",
                "64:ff9b::1.1.1.1",
            ],
        );
    }

    #[test]
    fn everything_that_is_not_public_is_refused() {
        check(
            &Reachable::Public,
            false,
            &[
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "127.0.0.1",
                "127.255.255.255",
                "168.63.129.16",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.192",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.1.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "100::1",
                "2001::1",
                "2001:2::1",
                "2001:20::1",
                "2001:db8::1",
                "3fff::1",
                "4000::1",
                "5f00::1",
                "fc00::1",
                "fd00:ec2::254",
                "fe80::1",
                "fec0::1",
                "ff02::1",
            ],
        );
    }

    #[test]
    fn a_private_address_in_ipv6_clothes_is_refused() {
        check(
            &Reachable::Public,
            false,
            &[
                "::ffff:127.0.0.1",
                "::ffff:169.254.169.254",
                "::127.0.0.1",
                "::1.1.1.1",
                "::ffff:0:127.0.0.1",
                "64:ff9b::127.0.0.1",
                "64:ff9b::10.0.0.1",
                "64:ff9b:1::127.0.0.1",
                "2002:7f00:1::",
                "2002:a00:1::1",
            ],
        );
    }

    #[test]
    fn a_named_network_is_admitted_and_its_neighbours_are_not() {
        let reachable =
            Reachable::PublicAnd(vec!["10.1.0.0/16".parse().unwrap(), "fd12::/32".parse().unwrap()]);
        check(&reachable, true, &["10.1.2.3", "::ffff:10.1.2.3", "fd12::1", "1.1.1.1"]);
        check(&reachable, false, &["10.2.0.1", "127.0.0.1", "169.254.169.254", "fd13::1"]);
    }

    #[test]
    fn everything_means_everything() {
        check(&Reachable::Everything, true, &["127.0.0.1", "::1", "169.254.169.254", "fe80::1"]);
    }
}
