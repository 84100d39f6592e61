//! The shaders: their texts, and how a module is put together from them.

use std::path::Path;

use crate::colour;

/// One module: its name, and the files it consists of, in order.
pub struct ShaderRow {
    /// The name of the module.
    pub name: &'static str,
    /// The files, without their ending.
    pub files: &'static [&'static str],
}

/// All modules.
pub const MODULES: &[ShaderRow] = &[
    ShaderRow { name: "cull", files: &["common", "placed", "cull"] },
    ShaderRow { name: "ids", files: &["common", "textures", "placed", "things", "ids"] },
    ShaderRow { name: "clusters", files: &["common", "lamps", "clusters"] },
    ShaderRow {
        name: "surfaces",
        files: &["common", "camera", "textures", "lamps", "lighting", "placed", "things", "material", "surfaces"],
    },
    ShaderRow {
        name: "mesh",
        files: &["common", "camera", "textures", "lamps", "lighting", "placed", "things", "material", "mesh"],
    },
    ShaderRow { name: "decals", files: &["common", "camera", "textures", "lamps", "lighting", "decals"] },
    ShaderRow { name: "occlusion", files: &["common", "occlusion"] },
    ShaderRow { name: "compose", files: &["common", "camera", "compose"] },
    ShaderRow { name: "effects", files: &["common", "camera", "textures", "effects"] },
    ShaderRow { name: "bloom", files: &["common", "bloom"] },
    ShaderRow { name: "tone", files: &["common", "tone"] },
    ShaderRow { name: "smaa", files: &["smaa"] },
    ShaderRow { name: "flat", files: &["common", "flat"] },
    ShaderRow { name: "canvas", files: &["common", "textures", "canvas"] },
    ShaderRow { name: "overlay", files: &["common", "overlay"] },
    ShaderRow { name: "final", files: &["common", "final"] },
    ShaderRow { name: "sky", files: &["common", "sky"] },
];

/// The text of a file of shaders, as built into the program.
fn built_in(file: &str) -> &'static str {
    macro_rules! table {
        ($($name:literal),*) => { match file {
            $($name => include_str!(concat!("shaders/", $name, ".wgsl")),)*
            _ => "",
        } };
    }
    table![
        "common",
        "camera",
        "textures",
        "lamps",
        "lighting",
        "placed",
        "things",
        "material",
        "cull",
        "ids",
        "surfaces",
        "clusters",
        "mesh",
        "decals",
        "occlusion",
        "compose",
        "effects",
        "bloom",
        "tone",
        "smaa",
        "flat",
        "canvas",
        "overlay",
        "final",
        "sky"
    ]
}

/// The text of a module. Files in `folder` replace those built in.
pub fn module_text(row: &ShaderRow, folder: Option<&Path>) -> String {
    let mut text = match row.name {
        "tone" => tone_constants(),
        "ids" => "enable primitive_index;\n".to_string(),
        _ => String::new(),
    };
    for file in row.files {
        let replaced = folder.and_then(|folder| std::fs::read_to_string(folder.join(format!("{file}.wgsl"))).ok());
        text.push_str(replaced.as_deref().unwrap_or(built_in(file)));
        text.push('\n');
    }
    text
}

/// The constants of the tone curve, which the software renderer has too.
fn tone_constants() -> String {
    let matrix = |name: &str, rows: [[f32; 3]; 3]| {
        // A product from the left takes the rows as columns.
        let rows: Vec<String> = rows.iter().map(|[x, y, z]| format!("vec3f({x:?}, {y:?}, {z:?})")).collect();
        format!("const {name} = mat3x3f({});\n", rows.join(", "))
    };
    let mut text = matrix("AGX_INSET", colour::AGX_INSET) + &matrix("AGX_OUTSET", colour::AGX_OUTSET);
    for (name, value) in [
        ("STOPS_MIN", colour::AGX_STOPS_MIN),
        ("STOPS_MAX", colour::AGX_STOPS_MAX),
        ("SATURATION", colour::AGX_SATURATION),
        ("CONTRAST", colour::AGX_CONTRAST),
    ] {
        text += &format!("const AGX_{name} = {value:?};\n");
    }
    text += &format!("const VIGNETTE_START = {:?};\n", view::post::VIGNETTE_START);
    for (power, value) in colour::AGX_CURVE.iter().rev().enumerate() {
        text += &format!("const AGX_CURVE_{power} = {value:?};\n");
    }
    text
}

#[cfg(test)]
mod tests;
