//! The key by which other machines know this one again: drawn once, kept in a file that only its owner may read.
//!
//! Laws
//! 1. A key in use is locked: two programs of one folder are never the same machine, and the second one has a second key.
//! 2. The first free key is taken, so that a program which is started again has the key that it had.
//! 3. A damaged file is replaced; a folder that cannot be written gives an error, and the caller may do without a kept key.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::chance;
use crate::files::{self, FileError};

/// The bytes of a key.
const KEY_BYTES: usize = 32;

/// The most keys of a folder: as many machines of one session may run in it.
const KEYS_MAX: usize = 16;

/// A kept key, which is this program's as long as this value lives.
#[derive(Debug)]
pub struct OwnKey {
    secret: [u8; KEY_BYTES],
    /// Holds the lock.
    _file: File,
}

impl OwnKey {
    /// Takes the first key of the folder that no other program uses; a missing one is drawn and kept.
    pub fn take(folder: &Path) -> Result<OwnKey, FileError> {
        files::make_folder(folder)?;
        for number in 1..=KEYS_MAX {
            let path = folder.join(match number {
                1 => String::from("identity.key"),
                number => format!("identity-{number}.key"),
            });
            if !path.exists() {
                draw(&path)?;
            }
            match hold(&path)? {
                Held::Key(key) => return Ok(key),
                Held::ByAnother => {}
                Held::Damaged => {
                    draw(&path)?;
                    if let Held::Key(key) = hold(&path)? {
                        return Ok(key);
                    }
                }
            }
        }
        let cause = io::Error::new(io::ErrorKind::ResourceBusy, "other programs use all of its keys");
        Err(FileError::when("taking a key", folder)(cause))
    }

    /// The secret from which the key pair is made.
    #[must_use]
    pub fn secret(&self) -> [u8; KEY_BYTES] {
        self.secret
    }
}

/// What became of taking one key.
enum Held {
    Key(OwnKey),
    ByAnother,
    Damaged,
}

fn hold(path: &Path) -> Result<Held, FileError> {
    let file = File::open(path).map_err(FileError::when("opening it", path))?;
    if file.try_lock().is_err() {
        return Ok(Held::ByAnother);
    }
    // By the handle that has the lock: where locks bind, no other one reads.
    let mut bytes = Vec::new();
    let most = KEY_BYTES as u64 + 1;
    (&file).take(most).read_to_end(&mut bytes).map_err(FileError::when("reading it", path))?;
    Ok(match <[u8; KEY_BYTES]>::try_from(bytes) {
        Ok(secret) => Held::Key(OwnKey { secret, _file: file }),
        Err(_) => Held::Damaged,
    })
}

fn draw(path: &Path) -> Result<(), FileError> {
    let mut secret = [0; KEY_BYTES];
    chance::fill(&mut secret).map_err(FileError::when("drawing it", path))?;
    files::write_private(path, &[&secret])
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::Folder;

    #[test]
    fn a_program_has_its_key_again_and_another_one_beside_it_has_a_second() {
        let folder = Folder::new();
        let place = folder.join("deep/.astrarium");
        let first = OwnKey::take(&place).expect("it is drawn");
        let second = OwnKey::take(&place).expect("it is drawn");
        let (one, other) = (first.secret(), second.secret());
        assert_ne!(one, other);
        drop(first);
        assert_eq!(OwnKey::take(&place).expect("it is kept").secret(), one);
        drop(second);
        let both = [OwnKey::take(&place).expect("it is kept"), OwnKey::take(&place).expect("it is kept")];
        assert_eq!(both.map(|key| key.secret()), [one, other]);
    }

    #[test]
    fn only_its_owner_reads_it_and_a_damaged_one_is_replaced() {
        let folder = Folder::new();
        let path = folder.join("identity.key");
        for damaged in [&b""[..], b"short", &[7; 33]] {
            fs::write(&path, damaged).expect("it is written");
            // Where locks bind, nobody else reads it while it is held.
            let secret = OwnKey::take(folder.path()).expect("it is replaced").secret();
            assert_eq!(fs::read(&path).expect("it is there"), secret);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        let file = folder.join("file");
        fs::write(&file, "").expect("it is written");
        assert!(OwnKey::take(&file).is_err());
    }
}
