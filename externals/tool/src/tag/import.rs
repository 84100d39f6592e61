//! `tag import`: converts a mesh file into a shape.

use astrarium::GameEntry;
use std::path::{Path, PathBuf};

use crate::arguments::{flag, json, word as option};
use crate::error::Failure;
use crate::json::Json;
use clap::{Arg, ArgMatches, Command, value_parser};
use forge::tag_text;
use host::files;
use media::Source;
use media::collision::soup::MeshFaults;
use media::collision::{Shape, ShapeKind, ShapeOptions, import};
use media::limits::{PARTS_MAX, SOURCE_BYTES_MAX};
use media::scene::UpAxis;

use super::{counted, own_tree, word_of};

pub fn command() -> Command {
    let parts = option("parts-max", "N", "With --as parts: the maximum number of parts, 1 to 64");
    let scale = option("scale", "N", "Metres per unit of the file");
    Command::new("import")
        .about("Makes a shape (a geometry) from a mesh: .glb, .gltf or .obj")
        .arg(Arg::new("FILE").required(true).value_parser(value_parser!(PathBuf)).help("The mesh"))
        .arg(option("out", "TAG", "The tag to write, as in shapes/stone.geometry").required(true))
        .arg(
            option("as", "WHAT", "The convex hull, the triangles, or a convex decomposition into a few hulls")
                .value_parser(["hull", "mesh", "parts"])
                .default_value("hull"),
        )
        .arg(parts.value_parser(value_parser!(u64).range(1..=PARTS_MAX as u64)).default_value("16"))
        .arg(option("name", "NODE", "Only this node or object of the file, with its children"))
        .arg(option("up", "AXIS", "The up axis of the file").value_parser(["y", "z"]).default_value("y"))
        .arg(scale.value_parser(value_parser!(f32)).default_value("1"))
        .arg(flag("replace", "Overwrite an existing tag"))
        .arg(flag("print", "Only print the tag"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = own_tree(matches, games)?;
    let path = tree.path_of(word_of(matches, "out"))?;
    if path.class() != "geometry" {
        return Err(Failure::from(format!("expected a tag that ends in .geometry, found \"{path}\"")));
    }
    let out = tree.file(path.as_str());
    let is_print = matches.get_flag("print");
    if !is_print && !matches.get_flag("replace") && out.symlink_metadata().is_ok() {
        let message = format!("`{path}` already exists and is unchanged; --replace overwrites it");
        return Err(Failure::from(message));
    }
    let file = matches.get_one::<PathBuf>("FILE").map_or(Path::new(""), PathBuf::as_path);
    let (made, text) = made_from(file, &wish(matches)).map_err(|why| format!("{}: {why}", file.display()))?;
    if !is_print {
        let out = tree.new_file(path.as_str())?;
        files::write_atomically(&out, &[text.as_bytes()]).map_err(|error| error.to_string())?;
    }
    let odd = odd(&made, word_of(matches, "as"));
    if matches.get_flag("json") {
        println!("{}", json_of(path.as_str(), (&made, &text), &odd).finish());
        return Ok(());
    }
    odd.iter().for_each(|line| eprintln!("{}: {line}", file.display()));
    if is_print {
        print!("{text}");
    } else {
        let hulls =
            if made.hulls.is_empty() { String::new() } else { format!("{}, ", counted(made.hulls.len(), "hull")) };
        println!(
            "{}: {hulls}{} from {}",
            tree.shown(path.as_str()),
            counted(made.points, "point"),
            counted(made.triangles, "triangle")
        );
    }
    Ok(())
}

fn wish(matches: &ArgMatches) -> ShapeOptions<'_> {
    let most = matches.get_one::<u64>("parts-max").copied().unwrap_or(1);
    ShapeOptions {
        kind: match word_of(matches, "as") {
            "mesh" => ShapeKind::Mesh,
            "parts" => ShapeKind::Parts(most as usize),
            _ => ShapeKind::Hull,
        },
        name: matches.get_one::<String>("name").map(String::as_str),
        up: if word_of(matches, "up") == "z" { UpAxis::Z } else { UpAxis::Y },
        scale: matches.get_one::<f32>("scale").copied().unwrap_or(1.0),
    }
}

/// The shape, and the text of its tag.
fn made_from(file: &Path, wish: &ShapeOptions<'_>) -> Result<(Shape, String), String> {
    let read = |path: &Path| files::read_at_most(path, SOURCE_BYTES_MAX).map_err(|error| error.to_string());
    let beside = |name: &str| {
        let folder = file.parent().unwrap_or(Path::new(""));
        let beside = folder.join(name);
        match files::link_below(folder, &beside) {
            Some(_) => Err("it is a link, and links are not followed".to_string()),
            None => read(&beside),
        }
    };
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let bytes = read(file)?;
    let source = Source::new(&name, "", &bytes, &beside);
    let made = import(&source, wish).map_err(|error| error.to_string())?;
    let comment = format!("Made from {name}; import it again rather than change it here.");
    let text = tag_text::write(&comment, "geometry", &made.fields).map_err(|error| error.to_string())?;
    Ok((made, text))
}

/// Warnings, a line each. Those that do not matter for a hull are left out for one.
fn odd(made: &Shape, what: &str) -> Vec<String> {
    let MeshFaults { dropped, open_edges, torn_edges, is_inside_out } = made.faults;
    let is_mesh = what == "mesh";
    let mut lines = Vec::new();
    let mut warn_if = |is_so: bool, line: String| lines.extend(is_so.then_some(line));
    warn_if(dropped > 0, format!("dropped {} without area", counted(dropped, "triangle")));
    warn_if(
        is_mesh && open_edges > 0,
        format!("{} open: the mesh can only be a static body", counted(open_edges, "edge")),
    );
    let winding = "with inconsistent winding: bodies collide with front faces only";
    warn_if(is_mesh && torn_edges > 0, format!("{} {winding}", counted(torn_edges, "edge")));
    warn_if(is_mesh && is_inside_out, String::from("it is inside out: bodies would fall in and stay inside"));
    let left_out = made.left_out;
    warn_if(
        left_out > 1e-4,
        format!("some points lie up to {left_out} m outside the hulls, which have at most 64 vertices"),
    );
    lines
}

fn json_of(path: &str, (made, text): (&Shape, &str), odd: &[String]) -> Json {
    Json::new()
        .text("tag", path)
        .value("hulls", made.hulls.len())
        .value("points", made.points)
        .value("triangles", made.triangles)
        .value("dropped", made.faults.dropped)
        .value("open_edges", made.faults.open_edges)
        .value("torn_edges", made.faults.torn_edges)
        .value("is_inside_out", made.faults.is_inside_out)
        .value("left_out", made.left_out)
        .texts("odd", odd)
        .text("text", text)
}
