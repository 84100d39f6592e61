//! Answers to requests.

use super::feed::WebFeed;
use super::request::WebRefusal;

/// An answer.
#[derive(Clone, Debug)]
pub struct WebResponse {
    status: (u16, &'static str),
    content_type: &'static str,
    pub(super) body: WebBody,
}

/// What an answer holds.
#[derive(Clone, Debug)]
pub enum WebBody {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The events of a feed after this number of events, until the client goes.
    Feed(WebFeed, u64),
}

impl WebResponse {
    /// Bytes of this type, as in `application/json` or `text/html; charset=utf-8`.
    #[must_use]
    pub fn bytes(content_type: &'static str, bytes: impl Into<Vec<u8>>) -> WebResponse {
        WebResponse { status: (200, "OK"), content_type, body: WebBody::Bytes(bytes.into()) }
    }

    /// A stream of the events that are sent from now on (`EventSource` of browsers).
    #[must_use]
    pub fn feed(feed: &WebFeed) -> WebResponse {
        WebResponse {
            status: (200, "OK"),
            content_type: "text/event-stream",
            body: WebBody::Feed(feed.clone(), feed.sent()),
        }
    }

    /// There is no such page.
    #[must_use]
    pub fn not_found() -> WebResponse {
        WebResponse::refusal(WebRefusal::NotFound)
    }

    /// The program does not do its work now; the text says why.
    #[must_use]
    pub fn unavailable(text: &str) -> WebResponse {
        let body = WebBody::Bytes(format!("{text}\n").into_bytes());
        WebResponse { status: (503, "Service Unavailable"), content_type: "text/plain; charset=utf-8", body }
    }

    pub(super) fn refusal(refusal: WebRefusal) -> WebResponse {
        let status = refusal.status();
        let text = format!("{} {}\n", status.0, status.1);
        WebResponse { status, content_type: "text/plain; charset=utf-8", body: WebBody::Bytes(text.into_bytes()) }
    }

    /// The bytes before the body. Other sites may neither read nor embed an answer.
    pub(super) fn head(&self) -> Vec<u8> {
        let (code, reason) = self.status;
        let length = match &self.body {
            WebBody::Bytes(bytes) => format!("Content-Length: {}\r\n", bytes.len()),
            WebBody::Feed(..) => String::new(),
        };
        let allow = if code == 405 { "Allow: GET\r\n" } else { "" };
        let kind = self.content_type;
        format!(
            "HTTP/1.1 {code} {reason}\r\nContent-Type: {kind}\r\n{length}{allow}Cache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n"
        )
        .into_bytes()
    }
}
