//! Makes the sources of the games' media: models as binary glTF, textures as PNG, sounds as WAV.
//!
//! Everything is computed from numbers in these files, so the same program writes the same bytes everywhere:
//!
//! ```sh
//! cargo run --release --package astrarium-workshop
//! cargo run --release -- import --tags games/skirmish/tags
//! cargo run --release -- import --tags games/quarry/tags
//! cargo run --release -- import --tags games/fleet/tags
//! ```
//!
//! The importer then makes the tags, as for any artist's files.

mod mesh;

mod solids;

mod bake;
mod glb;
mod png;
mod wave;

mod quarry;
mod ships;

mod heavies;

mod fleet;
mod sounds;
mod textures;

use std::path::Path;
use std::process::ExitCode;

use astrarium::host::files::{self, FileError};

fn main() -> ExitCode {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    match write_all(Path::new(folder)) {
        Ok(count) => {
            println!("{count} files written below {folder}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{folder}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A file below the folder of the games, and its bytes.
type Product = (String, Vec<u8>);

/// Writes all products; returns their number.
fn write_all(folder: &Path) -> Result<usize, FileError> {
    let products: Vec<Product> = [ships::all(), quarry::all(), fleet::all(), textures::all(), sounds::all()].concat();
    for (path, bytes) in &products {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            files::make_folder(parent)?;
        }
        // An unchanged file keeps its time, so that the importer need not read it.
        if files::read_at_most(&path, bytes.len() as u64).is_ok_and(|found| found == *bytes) {
            continue;
        }
        files::write_atomically(&path, &[bytes])?;
    }
    Ok(products.len())
}
