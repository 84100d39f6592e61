//! A folder that is gone when its owner is, and how content is written into it.

use std::fs;
use std::path::{Path, PathBuf};

use super::content::Content;
use super::{binary, text};

/// A folder for a while.
pub struct Folder(PathBuf);

impl Folder {
    /// A new folder among those for a while; how it is called says who made it.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("astrarium-peers-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder is made");
        Folder(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A folder with all content as tags: texts, and bulk beside them.
    pub fn of_tags(name: &str, content: &Content) -> Folder {
        let folder = Folder::new(name);
        folder.make_folders(content);
        for number in 0..content.shape.assets {
            let asset = content.asset(number);
            let path = content.path(number);
            folder.write(&path, text::EXTENSION, text::text(content, &asset).as_bytes());
            if !asset.bulk.is_empty() {
                folder.write(&path, text::BULK_EXTENSION, &asset.bulk);
            }
        }
        folder
    }

    /// A folder with all content as binary files, bulk in them.
    pub fn of_binaries(name: &str, content: &Content) -> Folder {
        let folder = Folder::new(name);
        folder.make_folders(content);
        for number in 0..content.shape.assets {
            folder.write(&content.path(number), binary::EXTENSION, &binary::bytes(content, &content.asset(number)));
        }
        folder
    }

    fn make_folders(&self, content: &Content) {
        for number in 0..content.shape.folders {
            fs::create_dir_all(self.0.join(content.folder(number))).expect("a folder is made");
        }
    }

    fn write(&self, path: &str, extension: &str, bytes: &[u8]) {
        fs::write(self.0.join(format!("{path}.{extension}")), bytes).expect("a file is written");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("{} could not be removed: {error}", self.0.display());
        }
    }
}
