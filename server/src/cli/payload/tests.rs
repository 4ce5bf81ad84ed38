use std::io::Write;

use super::*;

fn file(content: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    file
}

fn read(args: &PayloadArgs) -> Option<payload::Payload> {
    args.read().unwrap().and_then(|payload| payload.payload)
}

#[test]
fn each_form_fills_its_own_field() {
    let on_disk = file(b"{\"n\":1}");
    let path = on_disk.path().to_str().unwrap().to_owned();
    let json = payload::Payload::Json("{\"n\":1}".to_owned());
    let none = PayloadArgs::default();
    let text = PayloadArgs { json: Some("{\"n\":1}".to_owned()), ..none.clone() };
    let json_file = PayloadArgs { json_file: Some(path.clone()), ..none.clone() };
    let bytes_file = PayloadArgs { bytes_file: Some(path), ..none.clone() };
    let hash = PayloadArgs { hash: Some("sha256:ab".to_owned()), ..none.clone() };
    assert_eq!(read(&none), None);
    assert_eq!(read(&text), Some(json.clone()));
    assert_eq!(read(&json_file), Some(json));
    assert_eq!(read(&bytes_file), Some(payload::Payload::Bytes("{\"n\":1}".into())));
    assert_eq!(read(&hash), Some(payload::Payload::Hash("sha256:ab".to_owned())));
}

#[test]
fn a_file_that_is_missing_or_no_text_is_named_in_the_fault() {
    let binary = file(&[0xff]);
    let path = binary.path().to_str().unwrap().to_owned();
    let not_text = PayloadArgs { json_file: Some(path.clone()), ..Default::default() };
    assert!(not_text.read().unwrap_err().to_string().contains(&path));
    let missing = PayloadArgs { bytes_file: Some("/no/such".into()), ..Default::default() };
    assert_eq!(missing.read().unwrap_err().to_string(), "--bytes-file /no/such");
}

#[test]
fn a_hash_has_a_scheme_and_lower_case_hex() {
    assert!(hash("jcs-sha256:9f86d0").is_ok());
    for text in ["9f86d0", "sha256:", ":9f86", "sha256:9F86", "sha256:xyz"] {
        assert!(hash(text).is_err(), "{text}");
    }
}
