//! Which certificate authorities an image host may be vouched for by.
//!
//! The union of Mozilla's, compiled in, and the machine's own. The machine's alone would
//! fail in a slim container that has none, where a demo without network should start all
//! the same; Mozilla's alone would refuse the image host of a company that signs its own
//! certificates. A photo is judged by its bytes anyway, so trusting either is enough.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, crypto::ring};

/// A TLS client that trusts the compiled-in and the machine's certificate authorities.
///
/// The cryptography is chosen here and not process-wide, so that no other user of TLS in
/// the same process is affected. It is *ring*, which needs no more than a C compiler.
pub(crate) fn tls_client() -> ClientConfig {
    let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    // What the machine cannot offer, or offers broken, only narrows the trust.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);

    let mut tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring offers the cipher suites of every default version of TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    tls
}
