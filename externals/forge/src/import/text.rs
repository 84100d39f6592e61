//! Writing a shape as the text of a tag.

use base::Vec3;
use script::format::format;
use script::parse::parse;
use tags::limits::TEXT_BYTES_MAX;

use super::ImportAs;
use super::soup::TriangleSoup;

/// The text of a `geometry`, formatted.
pub fn write(name: &str, what: ImportAs, soup: &TriangleSoup, hulls: &[Vec<Vec3>]) -> Result<String, String> {
    let file: String = name.chars().filter(|letter| !letter.is_control()).take(200).collect();
    let mut text = format!("// Made from {file}; import it again rather than change it here.\n@geometry\n");
    match what {
        ImportAs::Hull => points(&mut text, "!set points ", hulls.first().map_or(&[], Vec::as_slice)),
        ImportAs::Mesh => {
            text.push_str("!set kind \"mesh\"\n");
            points(&mut text, "!set points ", &soup.points);
            text.push('\n');
            let triangles = soup.triangles.iter().map(|[a, b, c]| format!("{a}, {b}, {c}"));
            listed(&mut text, "!set triangles ", triangles, TRIANGLES_IN_LINE);
        }
        ImportAs::Parts(_) => {
            text.push_str("!set kind \"compound\"\n!set parts [");
            for (index, hull) in hulls.iter().enumerate() {
                text.push_str(if index == 0 { "\n" } else { ",\n" });
                points(&mut text, "{ shape \"hull\", points ", hull);
                text.push_str(" }");
            }
            text.push_str("\n]");
        }
    }
    text.push('\n');
    if text.len() > TEXT_BYTES_MAX {
        return Err(format!(
            "the tag would have {} bytes, and {TEXT_BYTES_MAX} is the most; make it simpler",
            text.len()
        ));
    }
    let tree = parse(&text);
    let formatted = format(&text, &tree);
    let formatted =
        formatted.map_err(|_| String::from("the tag cannot be written: it is too large to be read again"))?;
    if formatted.len() > TEXT_BYTES_MAX {
        return Err(format!("the tag would have {} bytes, and {TEXT_BYTES_MAX} is the most", formatted.len()));
    }
    Ok(formatted)
}

/// The number of points on a line.
const POINTS_IN_LINE: usize = 4;
const TRIANGLES_IN_LINE: usize = 8;

fn points(text: &mut String, before: &str, points: &[Vec3]) {
    let written = points.iter().map(|point| format!("vec({}, {}, {})", point.x, point.y, point.z));
    listed(text, before, written, POINTS_IN_LINE);
}

fn listed(text: &mut String, before: &str, items: impl Iterator<Item = String>, in_line: usize) {
    text.push_str(before);
    text.push('[');
    for (index, item) in items.enumerate() {
        let between = match index {
            0 => "\n",
            _ if index % in_line == 0 => ",\n",
            _ => ", ",
        };
        text.push_str(between);
        text.push_str(&item);
    }
    text.push_str("\n]");
}
