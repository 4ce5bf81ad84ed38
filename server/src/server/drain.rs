//! The way down: traffic is sent elsewhere first, then new Claims are refused while reports are
//! taken, then the ports close. Every step has a bound.

use std::{future::Future, io, pin::pin, time::Duration};

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{Error, health::Health};
use crate::service::Service;

/// How long each step may take.
#[derive(Clone, Copy, Debug)]
pub struct Drain {
    /// From "not ready" until new Claims are refused: what load balancers need to notice.
    pub delay: Duration,
    /// From then on, for all calls that are under way.
    pub grace: Duration,
}

impl Default for Drain {
    fn default() -> Self {
        Self { delay: Duration::from_secs(5), grace: Duration::from_secs(20) }
    }
}

impl Drain {
    /// Waits for `shutdown`, then leads down to `stopped`; done when the time for all of it is
    /// over.
    pub(super) async fn after(
        self,
        shutdown: impl Future<Output = ()>,
        service: &Service,
        health: &Health,
        stopped: &CancellationToken,
    ) {
        shutdown.await;
        tracing::info!("draining");
        health.drain().await;
        sleep(self.delay).await;
        service.drain();
        let close = async {
            service.idle().await;
            stopped.cancel();
            std::future::pending::<()>().await;
        };
        let _ = timeout(self.grace, close).await;
        stopped.cancel();
    }
}

/// Serves both ports until they close, or until the time for going down is over.
pub(super) async fn run(
    grpc: impl Future<Output = Result<(), tonic::transport::Error>>,
    admin: impl Future<Output = io::Result<()>>,
    down: impl Future<Output = ()>,
) -> Result<(), Error> {
    let (mut grpc, mut admin, mut down) = (pin!(grpc), pin!(admin), pin!(down));
    let (mut grpc_open, mut admin_open) = (true, true);
    while grpc_open {
        tokio::select! {
            done = &mut grpc => { done?; grpc_open = false; }
            done = &mut admin, if admin_open => { done?; admin_open = false; }
            () = &mut down => {
                tracing::warn!("calls were still under way at the end of the drain");
                return Ok(());
            }
        }
    }
    Ok(())
}
