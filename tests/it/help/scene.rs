//! What an example finds: a server, files, and intents in the state that it speaks of.

use super::*;

/// The server, and the folder that is the example's home and working directory.
pub(super) struct Scene {
    server: Binary,
    /// Where records are moved to.
    target: Option<Binary>,
    home: TempDir,
    /// What is put in the place of what nobody can know before.
    known: Vec<(&'static str, String)>,
}

/// With what an example is documented to end: 0 where nothing else is said. There is no cluster
/// under the names of the examples.
pub(super) fn code(example: &str) -> i32 {
    match example {
        _ if example.contains("cql://") => 69,
        _ if example.starts_with("onced watch ") => 10,
        _ => 0,
    }
}

impl Scene {
    /// Everything that this example needs.
    pub(super) async fn for_example(example: &str) -> Self {
        let server = Binary::with(POLICIES, &["--dev"]).await;
        let mut scene = Self { server, target: None, home: home(), known: Vec::new() };
        let words: Vec<&str> = example.split_whitespace().collect();
        match words[..] {
            ["onced", "complete" | "renew" | "release", ..] => {
                let granted = scene.server.calls().granted(&charge("charge:v1:order-43")).await;
                scene.known.push(("1764547200000000", granted.fencing_token.to_string()));
            }
            ["onced", "get", ..] => {
                scene.server.calls().granted(&charge("charge:v1:order-43")).await;
            }
            ["onced", "watch", ..] => {
                scene.server.calls().succeeded(&charge("charge:v1:order-45"), "done").await;
            }
            ["onced", "reclaim", ..] => scene.unresolved().await,
            ["onced", "batch", "renew", ..] => scene.leases().await,
            ["onced", "export", ..] => {
                scene.server.calls().succeeded(&charge("a"), "done").await;
                if words.contains(&"--resume") {
                    scene.cut_export().await;
                }
            }
            ["onced", "import", ..] => scene.exported().await,
            ["onced", "restore", copy, ..] => scene.backed_up(copy).await,
            ["onced", "memory", "reset", "--data", folder, ..] => {
                scene.backed_up("copy").await;
                let restored = scene.run(&format!("onced restore copy --data {folder}")).await;
                assert!(restored.status.success(), "{restored:?}");
            }
            ["onced", "memory", "accept", ..] => {
                scene.server.calls().granted(&intent("payments", "payout", "k")).await;
            }
            _ => {}
        }
        scene
    }

    /// An intent whose holder is gone, and the etag by which it is judged.
    async fn unresolved(&mut self) {
        let (calls, payout) = (self.server.calls(), intent("payments", "payout", "payout:v1:7"));
        let asked = onced_proto::v1::ClaimRequest { payload: json(r#"{"n":7}"#), ..claim(&payout) };
        calls.claim(asked).await.expect("a ruling");
        let end = std::time::Instant::now() + BOUND;
        loop {
            let etag = calls.get(get(&payout)).await.expect("an intent").etag;
            if etag.ends_with("+evidence") {
                self.known.push(("ID+evidence", etag));
                return;
            }
            assert!(std::time::Instant::now() < end, "evidence never counts: {etag}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn leases(&self) {
        let token = self.server.calls().granted(&charge("k")).await.fencing_token;
        let line = format!(r#"{{"intent":{{"key":"k"}},"fencingToken":"{token}"}}"#);
        self.file("leases.ndjson", &line);
    }

    /// A file that was cut off in the middle.
    async fn cut_export(&self) {
        let ended = self.run("onced export --all --to all.onced").await;
        assert!(ended.status.success(), "{ended:?}");
        let path = self.home.path().join("all.onced");
        let whole = fs::read(&path).expect("a file");
        fs::write(&path, &whole[..whole.len() - 5]).expect("a shorter file");
    }

    /// What a sealed server held, and another one that is sealed to take it.
    async fn exported(&mut self) {
        self.server.calls().succeeded(&charge("a"), "done").await;
        for command in [
            "onced freeze --namespace payments --seal --reason move",
            "onced export --namespace payments --to payments.onced",
        ] {
            let ended = self.run(command).await;
            assert!(ended.status.success(), "{ended:?}");
        }
        self.target = Some(Binary::with(POLICIES, &["--dev"]).await);
        let address = self.target.as_ref().expect("just started").address;
        self.known.push(("http://10.0.0.7:7450", format!("http://{address}")));
        let seal = format!(
            "onced freeze --namespace payments --seal --reason move --endpoint http://{address}"
        );
        let ended = self.run(&seal).await;
        assert!(ended.status.success(), "{ended:?}");
    }

    /// A copy, carried from the server to where the example runs.
    async fn backed_up(&self, name: &str) {
        let ended = self.run("onced backup --name copy").await;
        assert!(ended.status.success(), "{ended:?}");
        let made = self.server.folder().join("backups/copy");
        fs::copy(made, self.home.path().join(name)).expect("a copy");
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.home.path().join(name), text).expect("a file");
    }

    /// Runs an example by bash; a server is asked to end once it is ready.
    pub(super) async fn run(&self, example: &str) -> Output {
        let at = format!("http://{}", self.server.address);
        let mut script = example.replace("http://127.0.0.1:7450", &at);
        for (name, value) in &self.known {
            script = script.replace(name, value);
        }
        let home = self.home.path().display();
        for folder in ["/etc/", "/var/"] {
            script = script.replace(&format!(" {folder}"), &format!(" {home}{folder}"));
        }
        let serves = example.starts_with("onced serve ") && code(example) == 0;
        if serves {
            script = format!("{script} > told & {UNTIL_READY}");
        }
        let path = format!("{home}:{}", env_path());
        let mut command = Command::new("bash");
        command
            .args(["-o", "pipefail", "-c", &script])
            .current_dir(self.home.path())
            .env("PATH", path)
            .envs([("HOME", home.to_string()), ("ONCED_ENDPOINT", at)])
            .envs([("ONCED_LISTEN", "127.0.0.1:0"), ("ONCED_ADMIN", "127.0.0.1:0")])
            .stdin(Stdio::null())
            .kill_on_drop(true);
        if example.contains("cql://") {
            command.env("ONCED_CQL_CONNECT_TIMEOUT", "1s");
        }
        timeout(BOUND, command.output()).await.expect("an end in time").expect("a process")
    }
}

/// Ends it when it says that it is ready, and with its own code.
const UNTIL_READY: &str = "server=$!
n=0; until grep -q 'is ready' told || [ $n -gt 600 ]; do sleep 0.05; n=$((n+1)); done
kill -TERM $server; wait $server";

#[expect(clippy::disallowed_methods, reason = "where bash finds the rest of its commands")]
fn env_path() -> String {
    std::env::var("PATH").expect("a path")
}

/// A folder with the program by its name, and every file that an example names.
fn home() -> TempDir {
    let home = TempDir::new().expect("a folder");
    let within = |path: &str| home.path().join(path);
    symlink(program(), within("onced")).expect("a link");
    for folder in ["etc/onced", "etc/bash_completion.d", "var/lib"] {
        fs::create_dir_all(within(folder)).expect("a folder");
    }
    for policies in ["policy.toml", "etc/onced/policy.toml"] {
        fs::write(within(policies), POLICIES).expect("a file");
    }
    let settings = format!("policy = \"{}\"\n", within("policy.toml").display());
    fs::write(within("etc/onced/onced-server.toml"), settings).expect("a file");
    executable(&within("report.sh"), "#!/bin/sh\necho report\n");
    // Reads the page, as a pager would.
    executable(&within("man"), "#!/bin/sh\ngrep -q '^.TH'\n");
    home
}

fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}
