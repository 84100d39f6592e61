//! Shared by the tests of this crate: a temporary folder and a few classes.

use std::fs::{self, File};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use tags::postprocess::{Draft, Reads};
use tags::{Bulk, Classes, Postprocess, Reference, Series, Tag};

pub use testing::Folder;

/// A ship, whose size follows from its model.
#[derive(Tag)]
#[tag(class = "ship", reads(Model, Ship))]
#[repr(C)]
pub struct Ship {
    /// Its mass.
    #[tag(range(0, 1000), default = 10)]
    pub mass: f32,
    /// Computed by the postprocess.
    #[tag(runtime)]
    pub size: f32,
    /// Its model.
    pub model: Reference<Model>,
    /// The ships that fly with it.
    pub escorts: Series<Reference<Ship>>,
}

/// A model.
#[derive(Tag)]
#[tag(class = "model", not_recoverable)]
#[repr(C)]
pub struct Model {
    /// Its radius.
    #[tag(default = 1)]
    pub radius: f32,
    /// Its colours.
    #[tag(resident)]
    pub pixels: Bulk,
    /// Its surface.
    pub texture: Bulk,
}

impl Postprocess for Ship {
    fn postprocess(draft: &mut Draft<'_, Ship>, reads: &Reads<'_, Ship>) {
        let size = reads.get(&draft.view().get().model).map_or(0.0, |model| model.radius * 2.0);
        let view = draft.view();
        let escorts = view.each(&view.escorts).iter().filter_map(|escort| reads.get(escort));
        let size = escorts.fold(size, |size, escort| size + escort.size);
        draft.set(|ship| &ship.get().size, size);
    }
}

pub fn classes() -> Arc<Classes> {
    Arc::new(Classes::new().with_postprocess::<Ship>().with::<Model>())
}

/// Writes files with old modification times, so that they are not racy.
pub fn put(folder: &Folder, files: &[(&str, &str)]) {
    for (path, text) in files {
        put_bytes(folder, path, text.as_bytes());
    }
}

/// Writes a container with one part, and the tag of a model that names it. Returns the digest.
pub fn put_texture(folder: &Folder, name: &str, bytes: &[u8]) -> tags::Key {
    let mut writer = tags::bulk::BulkWriter::new();
    writer.add_part("mip 0", bytes).expect("it is small");
    let file = writer.finish();
    let digest = crate::content_key::of(&file);
    put_bytes(folder, &format!("tags/{name}.model.bulk"), &file);
    let text = texture_text(name, file.len(), &digest);
    put(folder, &[(&format!("tags/{name}.model"), &text)]);
    digest
}

/// The text of a model that names a container.
pub fn texture_text(name: &str, bytes: usize, digest: &tags::Key) -> String {
    format!("@model\n!set texture {{ file \"{name}.model.bulk\", bytes {bytes}, hash \"{digest}\" }}\n")
}

/// The same for one file of any bytes.
pub fn put_bytes(folder: &Folder, path: &str, bytes: &[u8]) {
    static AGE: AtomicU32 = AtomicU32::new(0);
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the folder can be written");
    fs::write(&path, bytes).expect("the folder can be written");
    // Each is younger than the one before.
    let seconds = u64::from(AGE.fetch_add(1, Ordering::Relaxed));
    let age = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + seconds);
    let file = File::options().write(true).open(&path).expect("it was just written");
    file.set_modified(age).expect("it is ours");
}
