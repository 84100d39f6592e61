//! Lines that somebody types or a program writes: a line has an end, or is refused.

use std::io::{self, BufRead, Read};

/// A line of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedLine {
    /// Its text, with its end.
    Text(String),
    /// It is longer than it may be; nothing of it is kept.
    TooLong,
    /// There are no more.
    End,
}

/// The next line of a stream, of at most so many bytes with its end. Bytes that are no text become marks, as in a lossy conversion.
pub fn next_line(stream: &mut dyn BufRead, bytes_max: usize) -> io::Result<TypedLine> {
    let mut line = Vec::new();
    Read::take(&mut *stream, bytes_max as u64).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(TypedLine::End);
    }
    if line.ends_with(b"\n") || line.len() < bytes_max || stream.fill_buf()?.is_empty() {
        return Ok(TypedLine::Text(String::from_utf8_lossy(&line).into_owned()));
    }
    skip_line(stream)?;
    Ok(TypedLine::TooLong)
}

/// Passes over what is left of a line.
fn skip_line(stream: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let bytes = stream.fill_buf()?;
        if bytes.is_empty() {
            return Ok(());
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(bytes.len(), |end| end + 1);
        stream.consume(length);
        if end.is_some() {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<TypedLine> {
        let mut stream = io::BufReader::with_capacity(3, bytes);
        let next = || Some(next_line(&mut stream, 8).expect("memory can be read"));
        std::iter::from_fn(next).take_while(|line| *line != TypedLine::End).collect()
    }

    fn text(text: &str) -> TypedLine {
        TypedLine::Text(text.to_string())
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory_and_the_next_one_is_read() {
        assert_eq!(lines(b"one\n\ntwo"), [text("one\n"), text("\n"), text("two")]);
        assert_eq!(lines(b"1234567\n12345678\n\n"), [text("1234567\n"), TypedLine::TooLong, text("\n")]);
        assert_eq!(lines(&[&[b'a'; 5000][..], b"\nready\n"].concat()), [TypedLine::TooLong, text("ready\n")]);
        assert_eq!(lines(b"12345678"), [text("12345678")]);
        assert_eq!(lines(&[b'a'; 9]), [TypedLine::TooLong]);
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn bytes_that_are_no_text_do_not_end_the_lines() {
        assert_eq!(lines(b"a\xff\nwho\n"), [text("a\u{fffd}\n"), text("who\n")]);
    }
}
