//! Where a session is, and its password: what `host`, `join`, `serve` and `relay` are given on the command line.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;
use host::{chance, datagrams, files};

use crate::error::CommandError;

/// The longest file with a password.
const PASSWORD_BYTES_MAX: u64 = 1024;

/// The letters of drawn passwords and of a session's number, without those that look alike.
pub const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// How long a name may take to be resolved.
const NAME_PATIENCE: Duration = Duration::from_secs(10);

/// The password, and whether it was drawn.
pub fn password_of(matches: &ArgMatches, is_host: bool) -> Result<(String, bool), CommandError> {
    let given = match matches.get_one::<PathBuf>("password-file") {
        Some(path) => Some(password_in(path)?),
        None => matches.get_one::<String>("password").cloned(),
    };
    match given {
        Some(given) if given.is_empty() => {
            Err(CommandError::Usage(String::from("--password: expected a text, found none")))
        }
        Some(given) => Ok((given, false)),
        None if is_host => Ok((draw_password()?, true)),
        None => {
            let message = "--password TEXT or --password-file FILE: the password that the host prints or has given";
            Err(CommandError::Usage(String::from(message)))
        }
    }
}

/// The address of this machine's socket.
pub fn listening_of(matches: &ArgMatches) -> Result<String, CommandError> {
    let port = matches.try_get_one::<u64>("port").ok().flatten().copied().unwrap_or(0);
    let Ok(port) = u16::try_from(port) else {
        return Err(CommandError::Usage(format!("--port: expected 0 to 65535, found {port}")));
    };
    let listen = matches.try_get_one::<String>("listen").ok().flatten().map_or("0.0.0.0", String::as_str);
    Ok(with_port(listen, port))
}

/// The address of a host, with the usual port if it has none.
pub fn address_of(text: &str, usual: &str) -> Result<SocketAddr, CommandError> {
    let is_whole =
        text.parse::<SocketAddr>().is_ok() || text.rsplit_once(':').is_some_and(|(name, _)| !name.contains(':'));
    let port = usual.parse().unwrap_or(0);
    let named = if is_whole { text.to_string() } else { with_port(text, port) };
    datagrams::address_of(&named, NAME_PATIENCE).map_err(CommandError::Socket)
}

fn with_port(address: &str, port: u16) -> String {
    match address.contains(':') && !address.starts_with('[') {
        true => format!("[{address}]:{port}"),
        false => format!("{address}:{port}"),
    }
}

fn password_in(path: &Path) -> Result<String, CommandError> {
    let bytes = files::read_at_most(path, PASSWORD_BYTES_MAX)?;
    let text = String::from_utf8(bytes).map_err(|error| CommandError::not_text(path, &error))?;
    Ok(text.trim().to_string())
}

/// Sixteen letters: 80 bits.
fn draw_password() -> Result<String, CommandError> {
    let mut bytes = [0; 16];
    chance::fill(&mut bytes)?;
    let letters: Vec<char> = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
    Ok(groups.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_with_or_without_its_port() {
        for (text, expected) in [
            ("127.0.0.1", "127.0.0.1:7322"),
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("::1", "[::1]:7322"),
            ("[::1]:80", "[::1]:80"),
        ] {
            assert_eq!(address_of(text, "7322").expect("it is an address").to_string(), expected, "{text}");
        }
        assert!(address_of("", "7322").is_err());
    }

    #[test]
    fn drawn_passwords_differ_and_can_be_read_aloud() {
        let (one, other) = (draw_password().expect("there is chance"), draw_password().expect("there is chance"));
        assert_ne!(one, other);
        assert!(
            one.len() == 19 && one.chars().all(|letter| letter == '-' || LETTERS.contains(&(letter as u8))),
            "{one}"
        );
    }
}
