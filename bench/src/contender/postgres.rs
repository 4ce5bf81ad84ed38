//! PostgreSQL: a row that is inserted if there is none under its key, and updated with its outcome.

use std::{
    env, fs,
    os::unix::{fs::chown, process::CommandExt as _},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use rustix::process::{Signal, geteuid};
use tokio_postgres::{Client, Config, NoTls, Statement};
use uuid::Uuid;

use self::load::load;
use super::{About, Answer, Contender, Work};
use crate::{
    claims::HASH,
    process::{self, Process},
};

mod load;

const PROGRAM: &str = "postgres";
/// Each is a process of the server, so that as many calls commit together.
const CONNECTIONS: usize = 64;
/// It refuses to run as root, and runs as this user then.
const USER: &str = "postgres";

const TABLE: &str = "CREATE TABLE intents (
    key text NOT NULL, payload text NOT NULL, holder text NOT NULL,
    claimed timestamptz NOT NULL DEFAULT now(), outcome text)";
const PRIMARY_KEY: &str = "ALTER TABLE intents ADD PRIMARY KEY (key)";

/// The server and those who call it.
pub(crate) struct Postgres {
    sessions: Vec<Session>,
    process: Process,
    version: String,
}

/// One connection with its statements.
struct Session {
    client: Client,
    claim: Statement,
    look: Statement,
    complete: Statement,
    batch: Statement,
}

impl Postgres {
    /// Starts it with so many settled keys.
    pub(crate) async fn start(folder: &Path, keys: u64) -> Result<Self> {
        let version = process::version(PROGRAM, &["--version"])?;
        let [port] = process::free_ports()?;
        let data = folder.join("postgres");
        fs::create_dir(&data)?;
        let owner = Owner::of_servers()?;
        owner.give(&data)?;
        owner.initdb(&data)?;
        let mut command = owner.command(&program(PROGRAM)?);
        command.arg("-D").arg(&data).args(["-p", &port.to_string(), "-c"]);
        command.args(["listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]);
        command.args(["-c", "max_connections=100"]);
        let process = Process::start(&mut command, folder.join("postgres.log"))?;
        let mut process = process.ended_by(Signal::INT);
        process.listens(port).await?;
        let first = process.until(|| async move { connect(port).await.ok() }).await?;
        first.batch_execute(TABLE).await?;
        load(&first, keys).await?;
        first.batch_execute(PRIMARY_KEY).await?;
        // Neither may stand beside another statement.
        first.batch_execute("VACUUM (ANALYZE) intents").await?;
        first.batch_execute("CHECKPOINT").await?;
        let mut sessions = Vec::new();
        for _ in 0..CONNECTIONS {
            sessions.push(Session::prepare(connect(port).await?).await?);
        }
        Ok(Self { sessions, process, version })
    }

    fn session(&self, caller: usize) -> &Session {
        &self.sessions[caller % CONNECTIONS]
    }
}

async fn connect(port: u16) -> Result<Client> {
    let mut config = Config::new();
    config.host("127.0.0.1").port(port).user(USER).dbname("postgres");
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

impl Session {
    async fn prepare(client: Client) -> Result<Self> {
        const INSERT: &str = "INSERT INTO intents (key, payload, holder)";
        const IF_ABSENT: &str = "ON CONFLICT (key) DO NOTHING";
        let claim = client.prepare(&format!("{INSERT} VALUES ($1, $2, $3) {IF_ABSENT}")).await?;
        let look = client.prepare("SELECT payload, outcome FROM intents WHERE key = $1").await?;
        let complete = "UPDATE intents SET outcome = $3
                        WHERE key = $1 AND holder = $2 AND outcome IS NULL";
        let complete = client.prepare(complete).await?;
        let rows = "SELECT * FROM unnest($1::text[], $2::text[], $3::text[])";
        let batch = client.prepare(&format!("{INSERT} {rows} {IF_ABSENT}")).await?;
        Ok(Self { client, claim, look, complete, batch })
    }

    /// Inserts the row if there is none; else looks at the one that is there.
    async fn claim(&self, key: &str, holder: &str) -> Result<Claimed> {
        if self.client.execute(&self.claim, &[&key, &HASH, &holder]).await? == 1 {
            return Ok(Claimed::Now);
        }
        let row = self.client.query_one(&self.look, &[&key]).await?;
        ensure!(row.try_get::<_, &str>(0)? == HASH, "another payload");
        Ok(Claimed::Before { outcome: row.try_get(1)? })
    }

    async fn settle(&self, key: &str) -> Result<()> {
        let holder = Uuid::new_v4().to_string();
        ensure!(matches!(self.claim(key, &holder).await?, Claimed::Now), "claimed already");
        let outcome = "succeeded ch_1764518400000000";
        let updated = self.client.execute(&self.complete, &[&key, &holder, &outcome]).await?;
        ensure!(updated == 1, "not updated");
        Ok(())
    }
}

enum Claimed {
    Now,
    Before { outcome: Option<String> },
}

/// The user as whom the server runs.
struct Owner(Option<(u32, u32)>);

impl Owner {
    fn of_servers() -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Self(None));
        }
        let users = fs::read_to_string("/etc/passwd")?;
        let user = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let mut found = user.filter(|fields| fields.first() == Some(&USER));
        let fields = found.next().context("there is no user postgres to run it")?;
        ensure!(fields.len() > 3, "/etc/passwd is not as expected");
        Ok(Self(Some((fields[2].parse()?, fields[3].parse()?))))
    }

    fn give(&self, folder: &Path) -> Result<()> {
        let Some((user, group)) = self.0 else { return Ok(()) };
        Ok(chown(folder, Some(user), Some(group))?)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
        command
    }

    fn initdb(&self, data: &Path) -> Result<()> {
        let mut command = self.command(&program("initdb")?);
        command.args(["--auth", "trust", "--username", USER, "--encoding", "UTF8"]);
        command.args(["--locale", "C", "--pgdata"]).arg(data).current_dir("/");
        let made = command.output()?;
        ensure!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        Ok(())
    }
}

/// The whole path: it finds its other programs and files by its own.
fn program(name: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).map(|folder| folder.join(name));
    places.into_iter().find(|program| program.is_file()).context(format!("{name} is not installed"))
}

impl Contender for Postgres {
    fn about(&self) -> About {
        About {
            version: self.version.clone(),
            durability: "fsync and synchronous_commit on: fdatasync of the log before a commit is \
                         answered, shared by those that wait",
            clients: "64 connections, prepared statements",
            is_loaded: true,
        }
    }

    fn form(&self, work: Work) -> Option<&'static str> {
        Some(match work {
            Work::Fresh => "INSERT … ON CONFLICT DO NOTHING",
            Work::Settle => "INSERT … ON CONFLICT DO NOTHING, UPDATE where it is the holder's",
            Work::Duplicate => "INSERT … ON CONFLICT DO NOTHING, SELECT",
            Work::Stampede => "INSERT … ON CONFLICT DO NOTHING, SELECT by those that lost",
            Work::Batch => "one INSERT of 100 rows … ON CONFLICT DO NOTHING",
        })
    }

    fn claim<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, bool> {
        Box::pin(async move {
            let holder = Uuid::new_v4().to_string();
            Ok(matches!(self.session(caller).claim(key, &holder).await?, Claimed::Now))
        })
    }

    fn settle<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(self.session(caller).settle(key))
    }

    fn duplicate<'a>(&'a self, caller: usize, key: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            let holder = Uuid::new_v4().to_string();
            let claimed = self.session(caller).claim(key, &holder).await?;
            ensure!(matches!(claimed, Claimed::Before { outcome: Some(_) }), "not settled");
            Ok(())
        })
    }

    fn batch<'a>(&'a self, caller: usize, keys: &'a [String]) -> Answer<'a, usize> {
        Box::pin(async move {
            let holders: Vec<String> = keys.iter().map(|_| Uuid::new_v4().to_string()).collect();
            let payloads = vec![HASH; keys.len()];
            let Session { client, batch, .. } = self.session(caller);
            let inserted = client.execute(batch, &[&keys, &payloads, &holders]).await?;
            Ok(usize::try_from(inserted)?)
        })
    }

    fn processes(&self) -> Vec<u32> {
        vec![self.process.id()]
    }
}
