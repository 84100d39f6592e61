//! Reads `.mtl`, the materials of a Wavefront file, with the metallic-roughness words that some programs add.

use std::collections::BTreeMap;

use base::{Vec3, Vec4};
use view::classes::material::AlphaMode;

use super::super::material::{SceneMaterial, SceneTexture, TextureSlot, name_beside};
use crate::limits::SCENE_ITEMS_MAX;

/// Adds the materials of a library. Lines that are not understood are skipped.
pub fn read(bytes: &[u8], materials: &mut BTreeMap<String, SceneMaterial>) {
    let text = String::from_utf8_lossy(bytes);
    let mut material: Option<SceneMaterial> = None;
    for line in text.lines() {
        let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let numbers: Vec<f32> = rest
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .filter(|number: &f32| number.is_finite())
            .take(4)
            .collect();
        if word == "newmtl" {
            if materials.len() < SCENE_ITEMS_MAX {
                materials.extend(material.take().map(|material| (material.name.clone(), material)));
            }
            let name = rest.trim().chars().take(100).collect();
            material = Some(SceneMaterial { name, metallic: 0.0, ..SceneMaterial::default() });
            continue;
        }
        let Some(material) = &mut material else { continue };
        let unit = |number: f32| base::number::clamp(number, 0.0, 1.0);
        let file = || texture_name(rest).map(SceneTexture::new);
        let slot = match (word, &numbers[..]) {
            ("Kd", [red, green, blue, ..]) => {
                let opacity = material.base_colour.w;
                material.base_colour = Vec4::new(unit(*red), unit(*green), unit(*blue), opacity);
                continue;
            }
            ("Ke", [red, green, blue, ..]) => {
                material.emissive = Vec3::new(unit(*red), unit(*green), unit(*blue));
                continue;
            }
            ("d" | "Tr", [number, ..]) => {
                material.base_colour.w = unit(if word == "d" { *number } else { 1.0 - *number });
                material.alpha = if material.base_colour.w < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque };
                continue;
            }
            // The exponent of Phong (1975) as a roughness.
            ("Ns", [number, ..]) => {
                material.roughness = unit(base::number::sqrt(2.0 / (base::number::clamp(*number, 0.0, 1e6) + 2.0)));
                continue;
            }
            ("Pr", [number, ..]) => {
                material.roughness = unit(*number);
                continue;
            }
            ("Pm", [number, ..]) => {
                material.metallic = unit(*number);
                continue;
            }
            ("map_Kd", _) => TextureSlot::BaseColour,
            ("map_Ke", _) => TextureSlot::Emissive,
            ("map_Pr" | "map_ORM", _) => TextureSlot::MetallicRoughness,
            ("norm" | "map_Bump" | "map_bump" | "bump", _) => TextureSlot::Normal,
            _ => continue,
        };
        if !material.textures.iter().any(|(own, _)| *own == slot) {
            material.textures.extend(file().map(|texture| (slot, texture)));
        }
    }
    materials.extend(material.map(|material| (material.name.clone(), material)));
}

/// The file of a texture: all behind the keyword, or the last word behind options.
fn texture_name(rest: &str) -> Option<String> {
    let rest = rest.trim();
    let name = if rest.starts_with('-') { rest.split_whitespace().next_back()? } else { rest };
    name_beside(&name.replace('\\', "/"))
}
