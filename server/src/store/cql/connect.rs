//! The session with a cluster: where it goes, in whose name, and how it asks.
//!
//! Never retries and never speculates: what an unheard request did is decided by the record, not by
//! the driver.

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use scylla::{
    client::{
        PoolSize, execution_profile::ExecutionProfile, session::Session,
        session_builder::SessionBuilder,
    },
    errors::NewSessionError,
    policies::{load_balancing::DefaultPolicy, retry::FallthroughRetryPolicy},
    statement::{Consistency as Level, SerialConsistency},
};

use super::{
    options::{Consistency, Options, Serial, Tls},
    routing::OneCoordinator,
};

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// A certificate or key cannot be read.
    #[error("{path}: {cause}")]
    Certificate {
        /// Which file.
        path: String,
        /// Why.
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Nobody answers at the contact points, or not as a cluster does.
    #[error("no cluster at {at}: {cause}")]
    Unreachable {
        /// Where it was looked for.
        at: String,
        /// Why.
        cause: Box<NewSessionError>,
    },
}

/// A session; conditional writes to one key go to one coordinator while it is up.
pub async fn connect(options: &Options) -> Result<Session, ConnectError> {
    let tls = options.tls.as_ref().map(certificates).transpose()?;
    let mut builder = SessionBuilder::new()
        .known_nodes(&options.contact_points)
        .default_execution_profile_handle(profile(options).into_handle())
        .connection_timeout(options.connect_timeout)
        .pool_size(PoolSize::PerShard(options.connections))
        .tls_context(tls);
    if let Some(credentials) = &options.credentials {
        builder = builder.user(&credentials.username, &credentials.password);
    }
    builder.build().await.map_err(|cause| ConnectError::Unreachable {
        at: options.contact_points.join(", "),
        cause: Box::new(cause),
    })
}

fn profile(options: &Options) -> ExecutionProfile {
    let mut nearest = DefaultPolicy::builder().token_aware(true);
    if let Some(datacenter) = &options.datacenter {
        nearest = nearest.prefer_datacenter(datacenter.clone());
    }
    ExecutionProfile::builder()
        .consistency(match options.consistency {
            Consistency::Quorum => Level::Quorum,
            Consistency::LocalQuorum => Level::LocalQuorum,
        })
        .serial_consistency(Some(serial(options)))
        .request_timeout(Some(options.request_timeout))
        .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
        .load_balancing_policy(Arc::new(OneCoordinator::over(nearest.build())))
        .build()
}

/// Among whom a conditional write, and a look that sees all of them, is agreed on.
pub(super) fn serial(options: &Options) -> SerialConsistency {
    match options.serial {
        Serial::Serial => SerialConsistency::Serial,
        Serial::LocalSerial => SerialConsistency::LocalSerial,
    }
}

fn certificates(tls: &Tls) -> Result<Arc<rustls::ClientConfig>, ConnectError> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in chain(&tls.authorities)? {
        roots.add(certificate).map_err(|cause| unreadable(&tls.authorities, cause))?;
    }
    let builder = rustls::ClientConfig::builder().with_root_certificates(roots);
    let config = match &tls.identity {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let secret =
                PrivateKeyDer::from_pem_file(key).map_err(|cause| unreadable(key, cause))?;
            builder
                .with_client_auth_cert(chain(certificate)?, secret)
                .map_err(|cause| unreadable(certificate, cause))?
        }
    };
    Ok(Arc::new(config))
}

fn chain(path: &std::path::Path) -> Result<Vec<CertificateDer<'static>>, ConnectError> {
    let certificates = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|cause| unreadable(path, cause))?;
    if certificates.is_empty() {
        Err(unreadable(path, "no certificate in it"))
    } else {
        Ok(certificates)
    }
}

fn unreadable(
    path: &std::path::Path,
    cause: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> ConnectError {
    ConnectError::Certificate { path: path.display().to_string(), cause: cause.into() }
}
