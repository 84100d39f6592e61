//! The transport of the language server protocol: a header with the length of the content, an empty line, and JSON.
//!
//! The crate `lsp-server` is not used: it stops at the first malformed message, and allocates as much memory as a
//! header claims.
//!
//! Laws
//! 1. Any bytes are read to their end. A malformed message yields the error response to send.
//! 2. Memory is limited by [`MESSAGE_BYTES_MAX`] and [`MESSAGE_VALUES_MAX`], whatever a header claims and however small its values are.
//!
//! Cost: time and memory in proportion to the message: at most 200 bytes of heap for each byte. Held by
//! `tests/growth.rs` of the tool.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value, json};

use super::limits::{HEAD_BYTES_MAX, HEAD_LINES_MAX, MESSAGE_BYTES_MAX, MESSAGE_VALUES_MAX};
use super::message::{ErrorCode, Message};

/// A message read from the input.
#[derive(Clone, Debug)]
pub enum Heard {
    /// A message.
    Message(Message),
    /// A malformed message, and the error response.
    Nonsense(Value),
    /// The end of the input.
    End,
}

/// Reads the next message, and tells how many bytes it had.
pub fn read(reader: &mut dyn BufRead) -> io::Result<(Heard, usize)> {
    let length = match read_head(reader)? {
        Head::End => return Ok((Heard::End, 0)),
        Head::Length(length) => length,
        Head::Nonsense => {
            let message = "expected `Content-Length: ` and a number before a message";
            return Ok((Heard::Nonsense(error(Value::Null, ErrorCode::ParseError, message)), 0));
        }
    };
    if length > MESSAGE_BYTES_MAX as u64 {
        let passed = io::copy(&mut reader.take(length), &mut io::sink())?;
        if passed < length {
            return Ok((Heard::End, 0));
        }
        let message = format!("a message has at most {MESSAGE_BYTES_MAX} bytes; this one had {length}");
        return Ok((Heard::Nonsense(error(Value::Null, ErrorCode::InvalidRequest, &message)), 0));
    }
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok((Heard::End, 0));
    }
    Ok((understand(&bytes), bytes.len()))
}

/// Decodes a message.
pub fn understand(bytes: &[u8]) -> Heard {
    if has_too_many_values(bytes) {
        let message = format!("a message has at most {MESSAGE_VALUES_MAX} JSON values");
        return Heard::Nonsense(error(Value::Null, ErrorCode::InvalidRequest, &message));
    }
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(wrong) => {
            let message = format!("expected JSON: {wrong}");
            return Heard::Nonsense(error(Value::Null, ErrorCode::ParseError, &message));
        }
    };
    let id = value.get("id").cloned().filter(|id| id.is_string() || id.is_number()).unwrap_or(Value::Null);
    match Message::of(value) {
        Some(message) => Heard::Message(message),
        None => {
            let message = "expected a request, a response or a notification";
            Heard::Nonsense(error(id, ErrorCode::InvalidRequest, message))
        }
    }
}

/// Whether the JSON has more values than allowed, counted by what separates them, before any memory is taken for them.
fn has_too_many_values(bytes: &[u8]) -> bool {
    let (mut count, mut is_text, mut is_escaped) = (0, false, false);
    for byte in bytes {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b',' | b':' | b'[' | b'{' if !is_text => count += 1,
            _ => {}
        }
    }
    count > MESSAGE_VALUES_MAX
}

/// Writes a message.
pub fn write(writer: &mut dyn Write, message: &Message) -> io::Result<()> {
    write_value(writer, &message.to_json())
}

/// Writes a JSON value, such as the response to a malformed message.
pub fn write_value(writer: &mut dyn Write, value: &Value) -> io::Result<()> {
    let text = value.to_string();
    write!(writer, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    writer.flush()
}

enum Head {
    Length(u64),
    Nonsense,
    End,
}

fn read_head(reader: &mut dyn BufRead) -> io::Result<Head> {
    let mut length = None;
    for _ in 0..HEAD_LINES_MAX {
        let mut line = Vec::new();
        if Read::take(&mut *reader, HEAD_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
            return Ok(Head::End);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            return Ok(length.map_or(Head::Nonsense, Head::Length));
        }
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("Content-Length")
        {
            length = value.trim().parse().ok();
        }
    }
    Ok(Head::Nonsense)
}

fn error(id: Value, code: ErrorCode, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn heard(bytes: &[u8]) -> Vec<String> {
        let mut reader = bytes;
        let mut all = Vec::new();
        loop {
            match read(&mut reader).unwrap().0 {
                Heard::End => return all,
                Heard::Message(message) => all.push(message.to_json().to_string()),
                Heard::Nonsense(value) => all.push(format!("{} {}", value["error"]["code"], value["id"])),
            }
        }
    }

    fn framed(text: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{text}", text.len())
    }

    #[test]
    fn invalid_messages_are_answered_and_the_next_message_is_read() {
        let good = r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#;
        for (bad, answer) in [
            (framed("{"), "-32700 null"),
            (framed("[]"), "-32600 null"),
            (framed(r#"{"id":7,"nothing":1}"#), "-32600 7"),
            (framed(r#"{"id":4294967296,"method":"x"}"#), "-32600 4294967296"),
            (framed(&"[".repeat(10_000)), "-32700 null"),
            ("Content-Length: x\r\n\r\n".to_string(), "-32700 null"),
            ("hello\r\n\r\n".to_string(), "-32700 null"),
        ] {
            let found = heard(format!("{bad}{}", framed(good)).as_bytes());
            assert_eq!(found.len(), 2, "{bad}");
            assert_eq!(found[0], answer);
            assert!(found[1].contains("initialized"));
        }
    }

    #[test]
    fn a_length_beyond_the_input_is_refused() {
        assert!(heard(b"Content-Length: 18446744073709551615\r\n\r\n{}").is_empty());
        assert!(heard(b"Content-Length: 99\r\n\r\n{}").is_empty());
    }

    #[test]
    fn a_message_of_very_many_small_values_is_refused_and_a_long_text_is_not() {
        let many = format!(r#"{{"method":"x","params":[{}0]}}"#, r#"{"a":0},"#.repeat(MESSAGE_VALUES_MAX / 3));
        assert_eq!(heard(framed(&many).as_bytes()), ["-32600 null"]);
        let text = format!(r#"{{"method":"x","params":"{}"}}"#, r#",\",:"#.repeat(MESSAGE_VALUES_MAX));
        assert_eq!(heard(framed(&text).as_bytes()).len(), 1);
        assert!(heard(framed(&text).as_bytes())[0].contains("method"));
    }

    #[test]
    fn messages_round_trip() {
        let mut bytes = Vec::new();
        let Heard::Message(message) = understand(br#"{"id":"a","method":"x","params":[1]}"#) else {
            panic!("a request")
        };
        write(&mut bytes, &message).unwrap();
        write_value(&mut bytes, &error(Value::Null, ErrorCode::ParseError, "no")).unwrap();
        assert_eq!(heard(&bytes)[0], r#"{"id":"a","jsonrpc":"2.0","method":"x","params":[1]}"#);
    }

    proptest! {
        #[test]
        fn any_bytes_terminate(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            heard(&bytes);
            let mut framed = format!("Content-Length: {}\r\n\r\n", bytes.len()).into_bytes();
            framed.extend(&bytes);
            heard(&framed);
        }
    }
}
