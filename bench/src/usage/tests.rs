use std::process::Command;

use super::*;

#[test]
fn what_a_child_of_a_child_uses_is_counted() {
    let script = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; read end' & read end";
    let mut shell = Command::new("sh");
    shell.args(["-c", script]);
    let mut child = shell.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let busy = || Usage::of(&[child.id()]).unwrap();
    while busy().cpu_micros < 50_000 {
        std::thread::yield_now();
    }
    assert!(busy().resident_bytes > 0);
    drop(child.stdin.take());
    child.wait().unwrap();
}
