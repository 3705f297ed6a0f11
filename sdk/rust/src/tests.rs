use crate::*;
use std::string::{String, ToString};
use std::vec::Vec;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).to_string()
}

#[test]
fn params_are_read_in_place() {
    let json = br#"{"split":"n","low":["server1","a]\",b",[]],"share":-0.5e1,"on":true,"no":false,"note":"a \"b\" \u00fc\n\\","n":-12,"sub":{"split":"x","deep":{"a":[1]}},"nil":null,"":7}"#;
    let p = Params::new(json);
    assert_eq!(p.iter().count(), 10);
    assert!(p.get("split").unwrap().is("n"));
    assert_eq!(&*p.get("note").unwrap().text::<16>().unwrap(), b"a \"b\" \xfc\n\\");
    assert!(p.get("note").unwrap().text::<8>().is_none(), "it has 9 bytes");
    let low: Vec<_> = p.get("low").unwrap().items().map(|v| text(v.json())).collect();
    assert_eq!(low, [r#""server1""#, r#""a]\",b""#, "[]"]);
    assert_eq!(p.get("share").unwrap().float(), Some(-5.0));
    assert_eq!(p.get("n").unwrap().int(), Some(-12));
    assert_eq!(p.get("share").unwrap().int(), None);
    assert_eq!((p.get("on").unwrap().bool(), p.get("no").unwrap().bool()), (Some(true), Some(false)));
    assert!(p.get("nil").unwrap().is_null());
    assert_eq!(p.get("").unwrap().int(), Some(7));
    let sub = p.get("sub").unwrap().object().unwrap();
    assert!(sub.get("split").unwrap().is("x"));
    assert!(sub.get("deep").unwrap().object().unwrap().get("a").is_some());
    assert!(p.get("deep").is_none(), "it is one level down");
    assert!(p.get("server1").is_none(), "it is a value");
}

#[test]
fn what_is_no_json_is_absent() {
    for json in [
        "",
        "{",
        "{}",
        "[]",
        "7",
        "{\"a\"",
        "{\"a\":",
        "{\"a\"}",
        "{a:1}",
        "{,}",
        "\"a\":1",
        "{\"a\",1}",
        "}",
        "{\"a\\",
    ] {
        let p = Params::new(json.as_bytes());
        assert!(p.get("a").is_none(), "{} has a", json);
        assert!(p.iter().count() < 3);
    }
    for json in ["", "\"", "\"a", "a\"", "[\"a\"]", "\"\\u12\"", "\"\\u1234\"", "7"] {
        let v = Value::new(json.as_bytes());
        assert!(!v.is("a") && v.text::<9>().is_none(), "{} is a text", json);
    }
    assert_eq!(Value::new(b"99999999999999999999").int(), None);
    assert_eq!(Value::new(b"inf").float(), None);
    assert_eq!(Value::new(b"\"1\"").int(), None);
}

#[test]
fn query_values_are_found_and_decoded() {
    let value = |query: &str| {
        let raw = query_value(query.as_bytes(), "arg")?;
        Some(decoded(raw).collect::<Result<Vec<u8>>>().map(|b| text(&b)).map_err(|c| c.0))
    };
    let ok = |s: &str| Some(Ok(s.to_string()));
    assert_eq!(value("x=1&arg=b&arg=z"), ok("b"));
    assert_eq!(value("arg=a=b"), ok("a=b"));
    assert_eq!(value("arg"), ok(""));
    assert_eq!(value("&&arg="), ok(""));
    assert_eq!(value("xarg=1&Arg=2&arg2=3"), None);
    assert_eq!(value(""), None);
    assert_eq!(value("arg=a+b%20c%2B%c3%BC"), ok("a b c+\u{fc}"));
    for bad in ["arg=%", "arg=a%4", "arg=%4g", "arg=%g4", "arg=%%41"] {
        assert_eq!(value(bad), Some(Err(BAD_ARGUMENT)), "{}", bad);
    }
}

#[test]
fn lists_have_bounds() {
    let mut area = [0; 6];
    let mut list = List::new(&mut area);
    assert!(list.add(1) && !list.add(None) && list.add(Some(65535)) && list.add(2) && !list.add(3));
    assert_eq!((list.len(), area), (3, [1, 0, 255, 255, 2, 0]));

    let mut area = [0; 1024];
    let mut list = List::new(&mut area);
    assert_eq!((0..300).filter(|&i| list.add(i)).count(), 256);

    let mut area = [0; 8];
    let mut list = NameList::new(&mut area);
    assert!(list.add(b"ab") && !list.add(b"abc") && list.add(b"ab") && !list.add(b""));
    assert_eq!((list.len(), area), (2, *b"\x02\0ab\x02\0ab"));
}

#[test]
fn ops_are_all_or_nothing() {
    let mut area = [9; 64];
    let mut ops = Ops::new(&mut area);
    ops.set_header("X-Tenant", b"blue");
    ops.delete_header("X-Debug");
    ops.tag("tenant", b"blue");
    let example: &[u8] =
        b"\x01\0\x08\0\x04\0\0\0X-Tenantblue\x03\0\x07\0\0\0\0\0X-Debug\0\x09\0\x06\0\x04\0\0\0tenantblue\0\0";
    assert_eq!(ops.finish(), Ok(example));
    ops.set_path(b"/too-long");
    ops.delete_header("A");
    assert_eq!(ops.finish(), Err(Code::BUFFER_SMALL));

    let mut area = [0; 4096];
    let mut ops = Ops::new(&mut area);
    ops.respond(199, b"");
    assert_eq!(ops.finish(), Err(Code::BAD_ARGUMENT));
    let mut ops = Ops::new(&mut area);
    (0..256).for_each(|_| ops.add_header("A", b"b"));
    assert_eq!(ops.finish().map(|b| b.len()), Ok(256 * 12));
    ops.respond(403, b"");
    assert_eq!(ops.finish(), Err(Code::LIMIT));
}

/// Every prefix of a view, and every view with a byte of its head changed, reads
/// without a panic, and never more than there is.
#[test]
fn broken_views_read_as_less() {
    let mut whole = std::vec![0u8; 300];
    let mut u32_at = |at: u32, v: u32| whole[at as usize..at as usize + 4].copy_from_slice(&v.to_le_bytes());
    for (table, at) in [(VIEW_HEADERS, 208), (VIEW_COOKIES, 216), (VIEW_ARGS, 224), (VIEW_ORIGINS, 232)] {
        u32_at(table, 1);
        u32_at(table + 4, at);
    }
    u32_at(208, 240);
    u32_at(212, 4 << 16 | 3);
    u32_at(VIEW_PATH, 280);
    u32_at(VIEW_PATH + 4, 20);
    assert_eq!(View::new(&whole).path().unwrap().len(), 20);
    assert_eq!(View::new(&whole).headers().get(0).map(|f| (f.0.len(), f.1.len())), Some((3, 4)));
    for cut in 0..whole.len() {
        read(View::new(&whole[..cut]));
        for value in [0, 1, 127, 128, 255] {
            let mut broken = whole.clone();
            broken[cut] = value;
            read(View::new(&broken));
        }
    }
}

fn read(v: View) {
    let _ = (v.path(), v.body(), v.header("a"), v.cookie("a"), v.arg(0), v.arg(usize::MAX), v.request_id());
    assert!(v.headers().iter().count() <= 300 && v.origins().get(0).map_or(0, |o| o.metric()) <= 255);
    assert!(Cluster::new(v.0 .0).iter().filter(|m| m.label("k").is_some() || m.on_this_host()).count() <= 300);
    assert!(Sample::new(v.0 .0).sources().count() <= 300);
}
