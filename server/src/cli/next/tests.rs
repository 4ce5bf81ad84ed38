use std::time::Duration;

use super::*;
use crate::cli::connection::Output;

fn next(endpoint: &str, key: &str) -> Next {
    let connection = Connection {
        profile: None,
        endpoint: endpoint.to_owned(),
        timeout: Duration::from_secs(1),
        output: Output::Text,
    };
    let intent = IntentArgs {
        namespace: "payments".to_owned(),
        operation: "charge".to_owned(),
        key: key.to_owned(),
    };
    Next::new(&connection, &intent, &PayloadArgs::default())
}

#[test]
fn a_next_command_names_the_intent_and_a_server_only_if_it_is_another() {
    assert_eq!(
        next(crate::cli::ENDPOINT, "order-42").release(7),
        "onced release --namespace payments --operation charge --key order-42 --token 7 \
         --reason not-started"
    );
    assert!(next("http://other:1", "k").get().starts_with("onced get --endpoint http://other:1 "));
}

#[test]
fn a_shell_reads_back_every_key() {
    for key in ["a b", "it's", "$(reboot)", "a;b", "`x`", "ключ", "*"] {
        let command = next(crate::cli::ENDPOINT, key).get().replace("onced get", "printf %s\\\\n");
        let shell = std::process::Command::new("sh").arg("-c").arg(&command).output().unwrap();
        let words = String::from_utf8(shell.stdout).unwrap();
        assert_eq!(words.lines().last(), Some(key), "{command}");
    }
}
