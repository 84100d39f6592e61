//! Every shader is parsed, validated, and written for every back end.

use naga::back::{glsl, hlsl, msl, spv};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use super::{MODULES, ShaderRow, module_text};

/// What the device must be able to do, and halves in whole numbers, which every device can.
const CAPABILITIES: Capabilities = Capabilities::PRIMITIVE_INDEX.union(Capabilities::SHADER_FLOAT16_IN_FLOAT32);

fn module(row: &ShaderRow) -> (naga::Module, ModuleInfo) {
    let text = module_text(row, None);
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|error| panic!("{}: {}", row.name, error.emit_to_string(&text)));
    let info = Validator::new(ValidationFlags::all(), CAPABILITIES)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", row.name, error.emit_to_string(&text)));
    (module, info)
}

#[test]
fn every_shader_is_valid() {
    for row in MODULES {
        let (module, _) = module(row);
        assert!(!module.entry_points.is_empty(), "{} has no entry point", row.name);
    }
}

#[test]
fn an_invalid_shader_is_refused() {
    let text = "@compute @workgroup_size(1) fn main() { let x: vec3f = 1.0; }";
    let is_refused = naga::front::wgsl::parse_str(text).map_or(true, |module| {
        Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).is_err()
    });
    assert!(is_refused);
}

#[test]
fn every_shader_can_be_written_for_vulkan() {
    for row in MODULES {
        let (module, info) = module(row);
        let words = spv::write_vec(&module, &info, &spv::Options::default(), None);
        assert!(words.is_ok_and(|words| words.len() > 100), "{}", row.name);
    }
}

#[test]
fn every_shader_can_be_written_for_direct3d() {
    for row in MODULES {
        let (module, info) = module(row);
        let options = hlsl::Options { fake_missing_bindings: true, ..hlsl::Options::default() };
        let pipeline = hlsl::PipelineOptions::default();
        let mut text = String::new();
        let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
        let written = writer.write(&module, &info, None);
        assert!(written.is_ok(), "{}: {:?}", row.name, written.err());
    }
}

#[test]
fn every_shader_can_be_written_for_metal() {
    for row in MODULES {
        let (module, info) = module(row);
        let options = msl::Options { fake_missing_bindings: true, lang_version: (2, 4), ..msl::Options::default() };
        let written = msl::write_string(&module, &info, &options, &msl::PipelineOptions::default());
        assert!(written.is_ok(), "{}: {:?}", row.name, written.err());
    }
}

/// OpenGL is not a back end of ours; what it can express is asked of the modules that a fallback would need.
#[test]
fn flat_drawing_can_be_written_for_opengl() {
    for row in MODULES.iter().filter(|row| matches!(row.name, "smaa" | "overlay")) {
        let (module, info) = module(row);
        for entry in &module.entry_points {
            let options = glsl::Options { version: glsl::Version::Desktop(450), ..glsl::Options::default() };
            let pipeline =
                glsl::PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone(), multiview: None };
            let mut text = String::new();
            let policies = naga::proc::BoundsCheckPolicies::default();
            let written = glsl::Writer::new(&mut text, &module, &info, &options, &pipeline, policies)
                .and_then(|mut writer| writer.write());
            assert!(written.is_ok(), "{} {}: {:?}", row.name, entry.name, written.err());
        }
    }
}
