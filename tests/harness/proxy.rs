//! A way to a server on which answers get lost: requests arrive, answers do not, and the connection
//! is cut.
//!
//! Reads nothing of what passes.

use std::{net::SocketAddr, sync::Arc};

use tokio::{
    io::{copy, copy_bidirectional, sink},
    net::{TcpListener, TcpStream},
    sync::Notify,
    task::JoinHandle,
};

/// The first connection is cut on demand, its answers lost; all later ones go through.
#[derive(Debug)]
pub struct Proxy {
    /// Where it listens.
    pub address: SocketAddr,
    cut: Arc<Notify>,
    running: JoinHandle<()>,
}

impl Proxy {
    /// One before the server at `target`.
    pub async fn before(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let cut = Arc::new(Notify::new());
        let running = tokio::spawn(run(listener, target, cut.clone()));
        Self { address, cut, running }
    }

    /// Cuts the first connection.
    pub fn cut(&self) {
        self.cut.notify_one();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.running.abort();
    }
}

async fn run(listener: TcpListener, target: SocketAddr, cut: Arc<Notify>) {
    let (first, _) = listener.accept().await.expect("a connection");
    let deaf = tokio::spawn(swallow_answers(first, target));
    cut.notified().await;
    deaf.abort();
    loop {
        let (caller, _) = listener.accept().await.expect("a connection");
        tokio::spawn(pass(caller, target));
    }
}

async fn swallow_answers(mut caller: TcpStream, target: SocketAddr) {
    let mut server = TcpStream::connect(target).await.expect("a server");
    let (mut asks, _unanswered) = caller.split();
    let (mut answers, mut asked) = server.split();
    let mut nowhere = sink();
    let _ = tokio::join!(copy(&mut asks, &mut asked), copy(&mut answers, &mut nowhere));
}

async fn pass(mut caller: TcpStream, target: SocketAddr) {
    let mut server = TcpStream::connect(target).await.expect("a server");
    let _ = copy_bidirectional(&mut caller, &mut server).await;
}
