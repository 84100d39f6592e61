//! The frames of an animated texture: numbered files beside the first.

use crate::bitmap::decode::decode;
use crate::bitmap::raster::Raster;
use crate::error::ImportError;
use crate::importer::Source;
use crate::limits::SEQUENCE_FRAMES_MAX;
use crate::numbered::Numbered;

/// Decodes the frames behind the first: of `fire.0001.png` those of `fire.0002.png`, `fire.0003.png` and so on, until
/// there is no such file.
pub fn each_further_frame(
    source: &Source<'_>,
    mut each: impl FnMut(&str, Raster) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let Some(first) = Numbered::read(source.name) else {
        let reason = format!("expected a numbered file such as `fire.0001.png`, found `{}`", source.name);
        return Err(ImportError::Option { name: "kind", reason });
    };
    for frame in 1..=u64::from(SEQUENCE_FRAMES_MAX) {
        let name = first.later(frame);
        let Ok(bytes) = source.read_beside(&name) else { return Ok(()) };
        if frame == u64::from(SEQUENCE_FRAMES_MAX) {
            return Err(ImportError::TooLarge { what: "frames", found: frame + 1, limit: frame });
        }
        each(&name, decode(&source.extension(), &bytes)?.raster)?;
    }
    Ok(())
}
