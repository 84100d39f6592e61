//! Import of Wavefront `.obj`: text lines with vertices and faces.
//!
//! Only positions and faces are read. A polygon is triangulated as a fan.

use base::Vec3;
use physics::limits::MESH_TRIANGLES_MAX;

use super::soup::TriangleSoup;

/// The most vertices of a face.
const CORNERS_MAX: usize = 4096;

/// Reads the faces of a file: all, or those of a named object or group.
pub fn read(bytes: &[u8], name: Option<&str>) -> Result<TriangleSoup, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| String::from("expected a text, found bytes that are none"))?;
    let (mut points, mut triangles): (Vec<Vec3>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    let (mut is_meant, mut is_found) = (name.is_none(), name.is_none());
    let mut corners: Vec<u32> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}", index + 1);
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => points.push(vertex(words).ok_or_else(|| wrong("expected three numbers behind v"))?),
            Some("o" | "g") => {
                if let Some(name) = name {
                    is_meant = line.get(1..).is_some_and(|rest| rest.trim() == name);
                    is_found |= is_meant;
                }
            }
            Some("f") if is_meant => {
                corners.clear();
                for word in words {
                    let corner = corner(word, points.len());
                    corners.push(corner.ok_or_else(|| wrong("expected corners that name vertices above it"))?);
                    if corners.len() > CORNERS_MAX {
                        return Err(wrong("expected a face of fewer corners"));
                    }
                }
                if corners.len() < 3 {
                    return Err(wrong("expected three corners or more behind f"));
                }
                triangles.extend((2..corners.len()).map(|last| [corners[0], corners[last - 1], corners[last]]));
            }
            _ => {}
        }
        if triangles.len() > MESH_TRIANGLES_MAX {
            return Err(wrong("found more triangles than a mesh can have"));
        }
    }
    if let (Some(name), false) = (name, is_found) {
        return Err(format!("expected an object or a group called \"{name}\", found none"));
    }
    let mut soup = TriangleSoup::default();
    soup.add(&points, triangles)?;
    Ok(soup)
}

fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<Vec3> {
    let mut number = || words.next()?.parse::<f32>().ok().filter(|number| number.is_finite());
    Some(Vec3::new(number()?, number()?, number()?))
}

/// The vertex of a corner such as `7`, `7/2/3` or `-1`, which is the last one so far.
fn corner(word: &str, count: usize) -> Option<u32> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let count = i64::try_from(count).ok()?;
    let index = if number > 0 { number - 1 } else { count.checked_add(number)? };
    (number != 0 && (0..count).contains(&index)).then(|| u32::try_from(index).ok())?
}
