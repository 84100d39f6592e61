//! A temporary folder that is deleted with its value, and the writing of content into it.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::content::{Asset, Content};
use super::{binary, text};

/// A temporary folder.
pub struct Folder(PathBuf);

impl Folder {
    /// A new temporary folder; its name contains its creator.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("astrarium-peers-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("the folder can be created");
        Folder(path)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A folder with all content as tags, in a tree called `tags`: texts, with bulk data beside them.
    pub fn of_tags(name: &str, content: &Content) -> Folder {
        Folder::of(name, "tags", content, |path, asset| {
            write(path, text::EXTENSION, text::text(content, asset).as_bytes());
            if !asset.bulk.is_empty() {
                write(path, text::BULK_EXTENSION, &asset.bulk);
            }
        })
    }

    /// A folder with all content as binary files that include the bulk data.
    pub fn of_binaries(name: &str, content: &Content) -> Folder {
        Folder::of(name, "", content, |path, asset| {
            write(path, binary::EXTENSION, &binary::bytes(content, asset));
        })
    }

    fn of(name: &str, tree: &str, content: &Content, write: impl Fn(&Path, &Asset)) -> Folder {
        let folder = Folder::new(name);
        let tree = folder.0.join(tree);
        for number in 0..content.shape.folders {
            fs::create_dir_all(tree.join(content.folder(number))).expect("the folder can be created");
        }
        for number in 0..content.shape.assets {
            write(&tree.join(content.path(number)), &content.asset(number));
        }
        folder
    }
}

/// Writes a file with a modification time of yesterday. A file that was written just now may change again without a change of
/// its time stamp, so a reader that relies on time stamps must read it again; that is not what is measured.
fn write(path: &Path, extension: &str, bytes: &[u8]) {
    let write = || {
        let mut file = File::create(path.with_extension(extension))?;
        file.write_all(bytes)?;
        file.set_modified(SystemTime::now() - Duration::from_secs(24 * 60 * 60))
    };
    write().expect("the file can be written");
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} could not be removed: {error}", self.0.display());
        }
    }
}
