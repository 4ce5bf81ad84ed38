use super::*;

#[tokio::test]
async fn one_that_ends_at_once_is_told_with_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "echo no such option >&2; exit 3"]);
    let mut process = Process::start(&mut command, folder.path().join("log")).unwrap();
    let [port] = free_ports().unwrap();
    let told = format!("{:#}", process.listens(port).await.unwrap_err());
    assert!(told.contains("no such option") && told.contains('3'), "{told}");
}

#[test]
fn dropping_it_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sleep");
    command.arg("600");
    let process = Process::start(&mut command, folder.path().join("log")).unwrap();
    let id = process.id();
    drop(process);
    assert!(!std::path::Path::new(&format!("/proc/{id}")).exists());
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let told = format!("{:#}", version("no-such-program", &["--version"]).unwrap_err());
    assert!(told.contains("no-such-program"), "{told}");
}
