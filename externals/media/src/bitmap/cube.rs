//! The six faces of a cube map from one image.
//!
//! | layout | sides | faces |
//! |---|---|---|
//! | horizontal strip | 6 : 1 | +x, −x, +y, −y, +z, −z |
//! | vertical strip | 1 : 6 | the same, from top to bottom |
//! | horizontal cross | 4 : 3 | +y above; −x, +z, +x, −z in the middle row; −y below +z |
//! | vertical cross | 3 : 4 | +y above; −x, +z, +x in the second row; −y below +z; below it −z, turned by half a turn |

use crate::bitmap::surface::Surface;
use crate::error::ImportError;

/// The faces in the order +x, −x, +y, −y, +z, −z. Fails if the sides fit no layout.
pub fn faces(surface: &Surface) -> Result<Vec<Surface>, ImportError> {
    let (width, height) = (surface.width, surface.height);
    let layouts = [
        (6, 1, [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]),
        (1, 6, [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5)]),
        (4, 3, [(2, 1), (0, 1), (1, 0), (1, 2), (1, 1), (3, 1)]),
        (3, 4, [(2, 1), (0, 1), (1, 0), (1, 2), (1, 1), (1, 3)]),
    ];
    for (columns, rows, places) in layouts {
        let side = width / columns;
        if side == 0 || width != side * columns || height != side * rows {
            continue;
        }
        let mut faces = places.map(|(column, row)| surface.cut(column * side, row * side, side, side));
        if (columns, rows) == (3, 4) {
            faces[5].turn_half();
        }
        return Ok(faces.into());
    }
    let expected = "expected a strip (6:1 or 1:6) or a cross (4:3 or 3:4) of square faces";
    Err(ImportError::Option { name: "kind", reason: format!("{expected}, found {width} × {height} pixels") })
}
