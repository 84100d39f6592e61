//! Requests: the bytes of a head, checked and decoded.

use std::net::IpAddr;

use crate::limits::{WEB_HEAD_BYTES_MAX, WEB_QUERY_VALUES_MAX};

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebRequest {
    /// The decoded path, beginning with `/` and without `..`.
    pub path: String,
    /// The decoded names and values after the `?`, in order.
    pub query: Vec<(String, String)>,
}

impl WebRequest {
    /// The first value of this name in the query.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why a request is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebRefusal {
    /// It is not HTTP/1.
    Malformed,
    /// It is too large.
    TooLarge,
    /// Its method is not GET.
    Method,
    /// It names another host, or comes from a page of another origin.
    Host,
    /// There are too many connections.
    Busy,
    /// The handler failed.
    Failed,
    /// There is no such page.
    NotFound,
}

impl WebRefusal {
    pub(super) fn status(self) -> (u16, &'static str) {
        match self {
            WebRefusal::Malformed => (400, "Bad Request"),
            WebRefusal::TooLarge => (431, "Request Header Fields Too Large"),
            WebRefusal::Method => (405, "Method Not Allowed"),
            WebRefusal::Host => (403, "Forbidden"),
            WebRefusal::Busy => (503, "Service Unavailable"),
            WebRefusal::Failed => (500, "Internal Server Error"),
            WebRefusal::NotFound => (404, "Not Found"),
        }
    }
}

/// The hosts that requests may name.
#[derive(Clone, Debug, Default)]
pub(super) struct AllowedHosts {
    /// Only this machine asks.
    pub(super) is_local: bool,
    pub(super) names: Vec<String>,
}

impl AllowedHosts {
    /// Whether a host, with or without a port, is this server. Numbers cannot be made to point elsewhere, names can.
    fn allow(&self, host: &str) -> bool {
        let Some(name) = without_port(host) else { return false };
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        if let Ok(number) = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            return !self.is_local || number.is_loopback();
        }
        !self.is_local && self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// The host without its port; none if the port is not a number.
fn without_port(host: &str) -> Option<&str> {
    let (name, port) = match host.rfind(']') {
        Some(end) => host.split_at(end + 1),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_number = |port: &str| port.len() <= 5 && port.bytes().all(|digit| digit.is_ascii_digit());
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_number)).then_some(name)
}

/// The request in these bytes, up to the empty line.
pub(super) fn parse(head: &[u8], hosts: &AllowedHosts) -> Result<WebRequest, WebRefusal> {
    let end = head.windows(4).position(|four| four == b"\r\n\r\n").ok_or(WebRefusal::Malformed)?;
    if end > WEB_HEAD_BYTES_MAX {
        return Err(WebRefusal::TooLarge);
    }
    let head = str::from_utf8(&head[..end]).map_err(|_| WebRefusal::Malformed)?;
    let mut lines = head.split("\r\n");
    let target = target(lines.next().unwrap_or_default())?;
    check_headers(lines, hosts)?;
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let path = decode(path, false).ok_or(WebRefusal::Malformed)?;
    if !path.starts_with('/') || path.split(['/', '\\']).any(|part| part == "..") {
        return Err(WebRefusal::Malformed);
    }
    Ok(WebRequest { path, query: parse_query(query)? })
}

/// The target of a request line.
fn target(line: &str) -> Result<&str, WebRefusal> {
    let mut words = line.split(' ');
    let (Some(method), Some(target), Some(version), None) = (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(WebRefusal::Malformed);
    };
    if !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
        return Err(WebRefusal::Malformed);
    }
    if method != "GET" {
        return Err(WebRefusal::Method);
    }
    Ok(target)
}

fn check_headers<'a>(lines: impl Iterator<Item = &'a str>, hosts: &AllowedHosts) -> Result<(), WebRefusal> {
    let mut host = None;
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(WebRefusal::Malformed)?;
        let value = value.trim();
        if name.is_empty() || name.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
            return Err(WebRefusal::Malformed);
        }
        if name.eq_ignore_ascii_case("host") && host.replace(value).is_some() {
            return Err(WebRefusal::Malformed);
        }
        if name.eq_ignore_ascii_case("origin") {
            let origin = value.strip_prefix("http://").ok_or(WebRefusal::Host)?;
            if !hosts.allow(origin) {
                return Err(WebRefusal::Host);
            }
        }
        let is_foreign = name.eq_ignore_ascii_case("sec-fetch-site") && value.eq_ignore_ascii_case("cross-site");
        if is_foreign {
            return Err(WebRefusal::Host);
        }
        // A body would be read as the next request by others on the way.
        let has_body = name.eq_ignore_ascii_case("transfer-encoding")
            || (name.eq_ignore_ascii_case("content-length") && value != "0");
        if has_body {
            return Err(WebRefusal::Malformed);
        }
    }
    match host {
        Some(host) if hosts.allow(host) => Ok(()),
        _ => Err(WebRefusal::Host),
    }
}

fn parse_query(query: &str) -> Result<Vec<(String, String)>, WebRefusal> {
    let mut values = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        if values.len() >= WEB_QUERY_VALUES_MAX {
            return Err(WebRefusal::TooLarge);
        }
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decoded = decode(name, true).zip(decode(value, true));
        values.push(decoded.ok_or(WebRefusal::Malformed)?);
    }
    Ok(values)
}

/// The text behind percent signs. None: not hexadecimal, not UTF-8, or control characters.
fn decode(text: &str, plus_is_space: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b'%' => {
                let digits = rest.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
                bytes.push(u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?);
                rest = &rest[2..];
            }
            b'+' if plus_is_space => bytes.push(b' '),
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(text: &str) -> Result<WebRequest, WebRefusal> {
        parse(text.as_bytes(), &AllowedHosts { is_local: true, names: vec!["box".into()] })
    }

    fn of(target: &str) -> Result<WebRequest, WebRefusal> {
        local(&format!("GET {target} HTTP/1.1\r\nHost: localhost:80\r\n\r\n"))
    }

    #[test]
    fn paths_and_queries_are_decoded() {
        let request = of("/a%20b/%C3%A4?x=1+2&y=%26&z").expect("it is well formed");
        assert_eq!(request.path, "/a b/ä");
        assert_eq!([request.value("x"), request.value("y"), request.value("z")], [Some("1 2"), Some("&"), Some("")]);
        assert_eq!(request.value("w"), None);
    }

    #[test]
    fn paths_that_climb_or_hide_bytes_are_malformed() {
        for path in [
            "/../x",
            "/a/%2e%2e/b",
            "/a%5c..%5cb",
            "x",
            "",
            "*",
            "/%",
            "/%2",
            "/%zz",
            "/%+1",
            "/%00",
            "/%ff",
            "/a\u{7f}",
        ] {
            assert_eq!(of(path), Err(WebRefusal::Malformed), "{path}");
        }
    }

    #[test]
    fn other_methods_and_versions_are_refused() {
        let with = |line: &str| local(&format!("{line}\r\nHost: localhost\r\n\r\n"));
        assert_eq!(with("POST / HTTP/1.1"), Err(WebRefusal::Method));
        assert_eq!(with("HEAD / HTTP/1.1"), Err(WebRefusal::Method));
        for line in ["GET / HTTP/2", "GET /", "GET  / HTTP/1.1", "", "GET / HTTP/1.1 x", "get"] {
            assert_eq!(with(line), Err(WebRefusal::Malformed), "{line}");
        }
    }

    #[test]
    fn only_this_host_and_origin_may_ask() {
        let ask = |headers: &str| local(&format!("GET / HTTP/1.1\r\n{headers}\r\n\r\n"));
        for good in [
            "Host: 127.0.0.1:8080",
            "Host: localhost",
            "host: [::1]:8080",
            "Host: LOCALHOST:1\r\nOrigin: http://localhost:1",
        ] {
            assert!(ask(good).is_ok(), "{good}");
        }
        for bad in [
            "Accept: */*",
            "Host: evil.example",
            "Host: evil.example:80",
            "Host: localhost.evil.example",
            "Host: 192.168.0.1",
            "Host: box",
            "Host: localhost:http",
            "Host: ",
            "Host: localhost\r\nOrigin: http://evil.example",
            "Host: localhost\r\nOrigin: null",
            "Host: localhost\r\nSec-Fetch-Site: cross-site",
        ] {
            assert_eq!(ask(bad), Err(WebRefusal::Host), "{bad}");
        }
        assert_eq!(ask("Host: localhost\r\nHost: localhost"), Err(WebRefusal::Malformed));
        assert_eq!(ask("Host: localhost\r\nTransfer-Encoding: chunked"), Err(WebRefusal::Malformed));
        assert_eq!(ask("Host: localhost\r\n folded: x"), Err(WebRefusal::Malformed));
    }

    #[test]
    fn a_server_for_other_machines_has_names() {
        let hosts = AllowedHosts { is_local: false, names: vec!["box".into()] };
        assert!(hosts.allow("box:80") && hosts.allow("192.168.0.1:80") && hosts.allow("[fe80::1]"));
        assert!(!hosts.allow("evil.example"));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let pieces: [&[u8]; 16] = [
            b"GET",
            b" ",
            b"/",
            b"HTTP/1.1",
            b"\r\n",
            b"\r\n\r\n",
            b"Host",
            b":",
            b"localhost",
            b"%",
            b"?",
            b"&",
            b"=",
            b"\xff",
            b"\0",
            b"]",
        ];
        let hosts = AllowedHosts { is_local: true, names: Vec::new() };
        let mut state = 3_u64;
        for _ in 0..5000 {
            let mut bytes = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec();
            for _ in 0..6 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let place = (state >> 40) as usize % (bytes.len() + 1);
                let piece = pieces[(state >> 33) as usize % pieces.len()];
                bytes.splice(place..place, piece.iter().copied());
            }
            if let Ok(request) = parse(&bytes, &hosts) {
                assert!(request.path.starts_with('/'));
            }
        }
    }
}
