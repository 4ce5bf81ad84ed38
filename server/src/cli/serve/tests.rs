use super::*;

#[tokio::test]
async fn an_address_in_use_says_how_to_get_on() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let told = bind("listen", taken.local_addr().unwrap()).await.unwrap_err().to_string();
    assert!(told.ends_with("; give another --listen, or stop the other one"), "{told}");
}

#[tokio::test]
async fn an_address_of_another_machine_is_not_said_to_be_in_use() {
    let told = bind("admin", "192.0.2.1:7451".parse().unwrap()).await.unwrap_err().to_string();
    assert!(told.starts_with("admin 192.0.2.1:7451: ") && !told.contains("--"), "{told}");
}

#[test]
fn the_ready_line_names_both_addresses_and_where_the_records_are() {
    let at = |port| SocketAddr::from(([127, 0, 0, 1], port));
    let line = ready_line(at(7450), at(7451), "data in ./onced-data");
    let told = " is ready: data in ./onced-data, gRPC on 127.0.0.1:7450, admin on \
                http://127.0.0.1:7451\n";
    assert!(line.ends_with(told), "{line}");
}
