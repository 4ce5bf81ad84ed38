//! A way to a node on which single conditional writes, or their answers, are late or lost, and on
//! which everything can stand still.
//!
//! A driver asks a node where the others are, and goes there on the port that it was given itself:
//! so each proxy listens at its node's own address, all on one port. Reads of what passes only the
//! heads of frames (version 4 of the protocol), and the body never.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{mpsc, watch},
    task::JoinHandle,
};

/// What becomes of one conditional write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes through, and so does its answer.
    Pass,
    /// It is applied; its answer is lost.
    Unheard,
    /// It is applied; its answer comes so much later.
    HeardLate(Duration),
    /// It is so much later at the node.
    SentLate(Duration),
    /// It is applied; instead of its answer the connection ends.
    Cut,
}

type Rule = Arc<dyn Fn(u64) -> Fate + Send + Sync>;

/// The proxies before some nodes.
pub struct CqlProxy {
    /// Where the nodes are reached through them.
    pub contact_points: Vec<String>,
    way: Arc<Way>,
    running: Vec<JoinHandle<()>>,
}

struct Way {
    rule: Mutex<Rule>,
    stands_still: watch::Sender<bool>,
    writes: AtomicU64,
    spoiled: AtomicU64,
}

impl CqlProxy {
    /// One before each of these nodes, whose addresses must be of this machine.
    pub async fn before(nodes: &[String]) -> Self {
        let nodes: Vec<SocketAddr> =
            nodes.iter().map(|node| node.parse().expect("an address with a port")).collect();
        let way = Arc::new(Way {
            rule: Mutex::new(Arc::new(|_| Fate::Pass)),
            stands_still: watch::Sender::new(false),
            writes: AtomicU64::new(0),
            spoiled: AtomicU64::new(0),
        });
        let listeners = listeners(&nodes).await;
        let addresses = listeners.iter().map(|at| at.local_addr().expect("an address"));
        let contact_points = addresses.map(|at| at.to_string()).collect();
        let running = listeners.into_iter().zip(nodes);
        let running =
            running.map(|(listener, node)| tokio::spawn(accept(listener, node, way.clone())));
        Self { contact_points, running: running.collect(), way }
    }

    /// From now on this becomes of conditional writes, by their number.
    pub fn set(&self, rule: impl Fn(u64) -> Fate + Send + Sync + 'static) {
        *self.way.rule.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(rule);
    }

    /// Nothing goes through any more, as if the nodes were stopped.
    pub fn stop(&self) {
        self.way.stands_still.send_replace(true);
    }

    /// Everything goes on.
    pub fn cont(&self) {
        self.way.stands_still.send_replace(false);
    }

    /// How many conditional writes did not simply pass so far.
    pub fn spoiled(&self) -> u64 {
        self.way.spoiled.load(Ordering::SeqCst)
    }
}

impl Drop for CqlProxy {
    fn drop(&mut self) {
        for running in &self.running {
            running.abort();
        }
    }
}

/// All on one port, which is free at each of the addresses.
async fn listeners(nodes: &[SocketAddr]) -> Vec<TcpListener> {
    loop {
        let first = TcpListener::bind((nodes[0].ip(), 0)).await.expect("a port");
        let port = first.local_addr().expect("an address").port();
        let mut listeners = vec![first];
        for node in &nodes[1..] {
            listeners.extend(TcpListener::bind((node.ip(), port)).await);
        }
        if listeners.len() == nodes.len() {
            return listeners;
        }
    }
}

async fn accept(listener: TcpListener, node: SocketAddr, way: Arc<Way>) {
    loop {
        let (driver, _) = listener.accept().await.expect("a connection");
        let way = way.clone();
        tokio::spawn(async move {
            // A node that is down refuses; so does its proxy.
            let Ok(node) = TcpStream::connect(node).await else { return };
            pass(driver, node, way).await;
        });
    }
}

/// A frame, and the stream on which it is asked or answered.
type Frame = Vec<u8>;
/// A conditional write is always sent as a batch; nothing else is.
const BATCH: u8 = 0x0D;
const HEAD: usize = 9;

fn stream(frame: &Frame) -> [u8; 2] {
    [frame[2], frame[3]]
}

async fn frame(from: &mut OwnedReadHalf) -> std::io::Result<Frame> {
    let mut frame = vec![0; HEAD];
    from.read_exact(&mut frame).await?;
    let length = u32::from_be_bytes([frame[5], frame[6], frame[7], frame[8]]);
    frame.resize(HEAD + usize::try_from(length).expect("a length"), 0);
    from.read_exact(&mut frame[HEAD..]).await?;
    Ok(frame)
}

async fn pass(driver: TcpStream, node: TcpStream, way: Arc<Way>) {
    let (mut from_driver, to_driver) = driver.into_split();
    let (mut from_node, to_node) = node.into_split();
    let (to_driver, to_node) = (Lane::into(to_driver), Lane::into(to_node));
    let fates = Mutex::new(HashMap::new());
    let asks = async {
        while let Ok(frame) = frame(&mut from_driver).await {
            way.goes_on().await;
            let fate = way.fate(&frame);
            locked(&fates).insert(stream(&frame), fate);
            match fate {
                Fate::SentLate(by) => to_node.send_late(frame, by),
                _ => to_node.send(frame),
            }
        }
    };
    let answers = async {
        while let Ok(frame) = frame(&mut from_node).await {
            way.goes_on().await;
            let fate = locked(&fates).remove(&stream(&frame));
            match fate {
                Some(Fate::Unheard) => {}
                Some(Fate::Cut) => return,
                Some(Fate::HeardLate(by)) => to_driver.send_late(frame, by),
                Some(Fate::Pass | Fate::SentLate(_)) | None => to_driver.send(frame),
            }
        }
    };
    tokio::select! { () = asks => {} () = answers => {} }
}

impl Way {
    fn fate(&self, frame: &Frame) -> Fate {
        if frame[4] != BATCH {
            return Fate::Pass;
        }
        let rule = locked(&self.rule).clone();
        let fate = rule(self.writes.fetch_add(1, Ordering::SeqCst));
        self.spoiled.fetch_add(u64::from(fate != Fate::Pass), Ordering::SeqCst);
        fate
    }

    async fn goes_on(&self) {
        let mut changes = self.stands_still.subscribe();
        changes.wait_for(|stands| !stands).await.expect("a way that is there");
    }
}

/// One direction: frames in the order in which they are due.
struct Lane(mpsc::UnboundedSender<Frame>);

impl Lane {
    fn into(mut to: OwnedWriteHalf) -> Self {
        let (frames, mut due) = mpsc::unbounded_channel::<Frame>();
        tokio::spawn(async move {
            while let Some(frame) = due.recv().await {
                if to.write_all(&frame).await.is_err() {
                    return;
                }
            }
        });
        Self(frames)
    }

    fn send(&self, frame: Frame) {
        // A lane that has ended ends the connection by itself.
        let _ = self.0.send(frame);
    }

    fn send_late(&self, frame: Frame, by: Duration) {
        let frames = self.0.clone();
        tokio::spawn(async move {
            tokio::time::sleep(by).await;
            let _ = frames.send(frame);
        });
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
