//! The language server on a real file system, with unusual entries.

use std::fs;
use std::path::PathBuf;

use forge::server::files::{Disk, Files};
use forge::server::index::Index;

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn folder(name: &str) -> (Folder, String) {
    let path = std::env::temp_dir().join(format!("astrarium-forge-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(path.join("tags/ships")).expect("the temporary folder can be written");
    let text = path.to_string_lossy().replace('\\', "/");
    (Folder(path), text)
}

#[test]
fn unusual_entries_do_not_affect_other_files() {
    let (folder, root) = folder("odd");
    let tags = folder.0.join("tags");
    fs::write(tags.join("ships/a.ship"), "\u{feff}@ship\n").unwrap();
    fs::write(tags.join("ships/b.ship"), "@ship\n!set weapon \"w/l.weapon\"\n").unwrap();
    fs::write(tags.join("ships/bytes.ship"), [b'@', 0xff, 0xfe]).unwrap();
    fs::write(tags.join("ships/empty.ship"), "").unwrap();
    fs::create_dir_all(tags.join("folder.ship")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&tags, tags.join("ships/round")).unwrap();
        std::os::unix::fs::symlink("/", tags.join("out")).unwrap();
        std::os::unix::fs::symlink("nowhere", tags.join("ships/gone.ship")).unwrap();
    }
    let mut index = Index::new(&root, true);
    index.read_all(&Disk);
    assert!(index.is_complete());
    let paths: Vec<&str> = index.all().filter_map(|file| index.tag(&file.path)).collect();
    assert_eq!(paths, ["ships/a.ship", "ships/b.ship", "ships/bytes.ship", "ships/empty.ship"]);
    assert_eq!(index.mentioning("w/l.weapon").len(), 1);
    assert_eq!(index.tags("ship").count(), 2, "a byte order mark is skipped");
    assert_eq!(
        Disk.read(&format!("{root}/tags/ships/a.ship")).as_deref(),
        Some("@ship\n"),
        "without the byte order mark"
    );
    assert_eq!(Disk.read(&format!("{root}/tags/folder.ship")), None);
}

#[test]
fn changes_on_disk_are_seen_when_it_is_listed_again() {
    let (folder, root) = folder("change");
    let path = folder.0.join("tags/ships/a.ship");
    fs::write(&path, "@ship\n!set a 1\n").unwrap();
    let mut index = Index::new(&root, true);
    index.read_all(&Disk);
    assert_eq!(index.mentioning("a").len(), 1);
    fs::write(&path, "@ship\n!set bb 12\n").unwrap();
    fs::write(folder.0.join("tags/ships/n.ship"), "@ship\n").unwrap();
    index.list_again();
    index.read_all(&Disk);
    assert_eq!((index.mentioning("a").len(), index.mentioning("bb").len(), index.tags("ship").count()), (0, 1, 2));
    fs::remove_file(&path).unwrap();
    index.touch(&Disk, &format!("{root}/tags/ships/a.ship"));
    assert_eq!((index.mentioning("bb").len(), index.tags("ship").count()), (0, 1));
}
