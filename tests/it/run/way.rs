//! An address that stays while the server behind it is killed and started again elsewhere.
//!
//! Reads nothing of what passes.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A way to wherever the server is.
pub(super) struct Way {
    /// Where it listens.
    pub(super) address: SocketAddr,
    target: Arc<Mutex<SocketAddr>>,
    running: JoinHandle<()>,
}

impl Way {
    /// One to the server at `target`.
    pub(super) async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let target = Arc::new(Mutex::new(target));
        let running = tokio::spawn(pass(listener, target.clone()));
        Self { address, target, running }
    }

    /// From now on it leads there.
    pub(super) fn leads_to(&self, target: SocketAddr) {
        *self.target.lock().expect("a target") = target;
    }
}

impl Drop for Way {
    fn drop(&mut self) {
        self.running.abort();
    }
}

async fn pass(listener: TcpListener, target: Arc<Mutex<SocketAddr>>) {
    loop {
        let (mut caller, _) = listener.accept().await.expect("a connection");
        let target = *target.lock().expect("a target");
        tokio::spawn(async move {
            if let Ok(mut server) = TcpStream::connect(target).await {
                let _ = copy_bidirectional(&mut caller, &mut server).await;
            }
        });
    }
}
