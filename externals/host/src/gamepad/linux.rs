//! Gamepads of Linux: the kernel's event devices, without udev, which containers do not have.
//!
//! A thread looks at the folder of devices once a second: opening one may take a while (a wireless pad wakes up). A new node
//! is often not readable yet, so it is tried again for a few seconds and whenever its attributes change.

use std::collections::BTreeMap;
use std::io;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use evdev::{Device, EventType};

use super::description::{AxisRange, PadDescription, PadIdentity, RawInput};
use crate::limits::{PAD_EVENTS_MAX, PAD_NODES_MAX, PAD_SCAN, PAD_TRIES, PADS_WAITING_MAX};

const FOLDER: &str = "/dev/input";

/// Finds devices. The thread ends when this is dropped.
pub(super) struct PadSystem {
    found: mpsc::Receiver<PadFound>,
    /// Its end tells the thread to stop.
    _running: mpsc::Sender<()>,
}

pub(super) struct PadDevice {
    device: Device,
    description: PadDescription,
}

pub(super) enum PadFound {
    Device(Box<PadDevice>),
    Report(String),
}

/// The device is gone.
#[derive(Debug)]
pub(super) struct PadGone;

impl PadSystem {
    pub(super) fn open() -> PadSystem {
        let (sender, found) = mpsc::sync_channel(PADS_WAITING_MAX);
        let (running, stop) = mpsc::channel::<()>();
        let refused = sender.clone();
        let look = move || {
            let mut scanner = Scanner::default();
            loop {
                for found in scanner.scan(Path::new(FOLDER)) {
                    // Waits where nothing is polled: then nothing needs to be found either.
                    if sender.send(found).is_err() {
                        return;
                    }
                }
                if stop.recv_timeout(PAD_SCAN) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        };
        if let Err(error) = thread::Builder::new().name("gamepads".into()).spawn(look) {
            let _ = refused.try_send(PadFound::Report(format!("gamepads: no thread to look for them: {error}")));
        }
        PadSystem { found, _running: running }
    }

    pub(super) fn found(&mut self) -> Option<PadFound> {
        self.found.try_recv().ok()
    }
}

pub(super) fn scan_once() -> Vec<PadFound> {
    Scanner::default().scan(Path::new(FOLDER))
}

impl PadDevice {
    fn open(path: &Path) -> io::Result<PadDevice> {
        let device = Device::open(path)?;
        device.set_nonblocking(true)?;
        let description = describe(&device);
        Ok(PadDevice { device, description })
    }

    pub(super) fn description(&self) -> &PadDescription {
        &self.description
    }

    /// Reads what is there. After an overflow of the kernel's queue the library compares the states, so nothing stays down.
    pub(super) fn read(&mut self, tell: &mut dyn FnMut(RawInput)) -> Result<(), PadGone> {
        let mut count = 0;
        while count < PAD_EVENTS_MAX {
            let before = count;
            match self.device.fetch_events() {
                Ok(events) => {
                    for event in events {
                        count += 1;
                        let code = event.code();
                        match event.event_type() {
                            // The value 2 repeats a key.
                            EventType::KEY if event.value() != 2 => {
                                tell(RawInput::Key { code, is_down: event.value() != 0 });
                            }
                            EventType::ABSOLUTE => tell(RawInput::Axis { code, value: event.value() }),
                            _ => {}
                        }
                    }
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return Ok(()),
                    io::ErrorKind::Interrupted => {}
                    _ => return Err(PadGone),
                },
            }
            if count == before {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn describe(device: &Device) -> PadDescription {
    let identity = device.input_id();
    let keys = device.supported_keys().map(|keys| keys.iter().map(|key| key.code()).collect());
    let axes = device.get_absinfo().map(|axes| {
        axes.map(|(axis, range)| AxisRange { code: axis.0, min: range.minimum(), max: range.maximum() }).collect()
    });
    let mut description = PadDescription {
        name: device.name().unwrap_or("gamepad").chars().filter(|letter| !letter.is_control()).take(100).collect(),
        identity: PadIdentity {
            bus: identity.bus_type().0,
            vendor: identity.vendor(),
            product: identity.product(),
            version: identity.version(),
        },
        keys: keys.unwrap_or_default(),
        axes: axes.unwrap_or_default(),
    };
    description.keys.sort_unstable();
    description.axes.sort_unstable_by_key(|axis| axis.code);
    description
}

/// Remembers which nodes were looked at.
#[derive(Default)]
struct Scanner {
    nodes: BTreeMap<PathBuf, Node>,
}

struct Node {
    /// Its device number, inode and time of change: a node of the same name may be another device.
    identity: (u64, u64, i64, i64),
    tries: u32,
    is_done: bool,
}

impl Scanner {
    /// The devices that are new since the last scan, and reports about nodes that cannot be read.
    fn scan(&mut self, folder: &Path) -> Vec<PadFound> {
        let mut found = Vec::new();
        let mut present = BTreeMap::new();
        for path in nodes_of(folder) {
            let Ok(about) = path.metadata() else { continue };
            let identity = (about.st_rdev(), about.st_ino(), about.st_ctime(), about.st_ctime_nsec());
            let known = self.nodes.remove(&path).filter(|node| node.identity == identity);
            let mut node = known.unwrap_or(Node { identity, tries: 0, is_done: false });
            if !node.is_done && node.tries < PAD_TRIES {
                node.tries += 1;
                match PadDevice::open(&path) {
                    Ok(device) => {
                        node.is_done = true;
                        found.push(PadFound::Device(Box::new(device)));
                    }
                    Err(error) if node.tries == PAD_TRIES && is_pad_of_sysfs(&path) => {
                        found.push(PadFound::Report(format!(
                            "gamepad {} cannot be read: {error} (members of the group \"input\" may read it)",
                            path.display()
                        )));
                    }
                    Err(_) => {}
                }
            }
            present.insert(path, node);
        }
        self.nodes = present;
        found
    }
}

fn nodes_of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_event =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("event"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_event).take(PAD_NODES_MAX).collect();
    paths.sort_unstable();
    paths
}

/// Whether the kernel lists the buttons of a gamepad for a node that may not be opened.
fn is_pad_of_sysfs(node: &Path) -> bool {
    let Some(name) = node.file_name() else { return false };
    let path = Path::new("/sys/class/input").join(name).join("device/capabilities/key");
    std::fs::read_to_string(path).is_ok_and(|words| has_bit(&words, 0x130))
}

/// Whether a bit is set in words of hexadecimal digits, the highest first, as the kernel writes them.
fn has_bit(words: &str, bit: usize) -> bool {
    let word = words.split_whitespace().rev().nth(bit / usize::BITS as usize);
    word.and_then(|word| usize::from_str_radix(word, 16).ok())
        .is_some_and(|word| word >> (bit % usize::BITS as usize) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Folder;

    #[test]
    fn nodes_that_are_no_devices_are_tried_a_few_times_and_left() {
        let folder = Folder::new();
        std::fs::write(folder.join("event0"), b"not a device").expect("it can be written");
        std::fs::write(folder.join("mouse0"), b"not looked at").expect("it can be written");
        let mut scanner = Scanner::default();
        for _ in 0..PAD_TRIES + 3 {
            assert!(scanner.scan(&folder.join("")).is_empty());
        }
        let node = scanner.nodes.get(&folder.join("event0")).expect("it is remembered");
        assert!(node.tries == PAD_TRIES && !node.is_done && scanner.nodes.len() == 1);
        std::fs::remove_file(folder.join("event0")).expect("it is there");
        scanner.scan(&folder.join(""));
        assert!(scanner.nodes.is_empty());
        assert!(scanner.scan(Path::new("/there/is/none")).is_empty());
    }

    #[test]
    fn the_kernels_words_are_read_from_the_highest_down() {
        let words = if usize::BITS == 64 { "7cdb000000000000 0 0 0 0\n" } else { "7cdb0000 0 0 0 0 0 0 0 0 0\n" };
        assert!(has_bit(words, 0x130) && has_bit(words, 0x131) && !has_bit(words, 0x132));
        assert!(!has_bit("", 0x130) && !has_bit("xyz 0 0 0 0", 0x130) && !has_bit("1", 5000));
    }
}
