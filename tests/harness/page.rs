//! The admin pages, over plain HTTP.

use std::{io, net::SocketAddr};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// One page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// Its headers, as they came.
    pub head: String,
    /// Its text.
    pub body: String,
}

/// Fetches a page.
pub async fn get(address: SocketAddr, path: &str) -> io::Result<Page> {
    get_as(address, path, "*/*").await
}

/// Fetches a page in a media type.
pub async fn get_as(address: SocketAddr, path: &str, accept: &str) -> io::Result<Page> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "GET {path} HTTP/1.0\r\nHost: {address}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    parse(&text).ok_or_else(|| io::Error::other(format!("no HTTP answer: {text:?}")))
}

fn parse(text: &str) -> Option<Page> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Page { status, head: head.to_owned(), body: body.to_owned() })
}

/// The value of one series of a metrics page; zero if it is not there.
pub fn value(page: &str, name_and_labels: &str) -> u64 {
    let line = page.lines().find_map(|line| line.strip_prefix(name_and_labels)?.strip_prefix(' '));
    line.map_or(0, |value| value.trim().parse().expect("a number"))
}

/// All series of a metric: the lines that begin with its name.
pub fn series<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let is_its =
        |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']));
    page.lines().filter(is_its).collect()
}
