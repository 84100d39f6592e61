//! The classes are sound, and tags of them can be packed.

use tags::pack::Prepared;
use tags::{Class, Tag};

use super::animation::Animation;
use super::animation_graph::AnimationGraph;
use super::camera::Camera;
use super::effect::Effect;
use super::material::Material;
use super::mix::Mix;
use super::model::Model;
use super::sky::Sky;
use super::sound::Sound;

fn check(class: Class, name: &str, text: &str) {
    assert_eq!(class.name, name);
    let prepared = Prepared::new(class);
    assert_eq!(prepared.wrong_default(), None);
    let packed = prepared.pack_text(text);
    assert!(packed.reports.is_empty(), "{name}: {:?}", packed.reports);
    for record in &prepared.class().records {
        for field in &record.fields {
            assert!(!field.help.is_empty(), "{name}: {}.{} has no help", record.name, field.name);
        }
    }
}

#[test]
fn a_material_takes_numbers_and_lambdas() {
    let text = "@material\n!set roughness 0.5\n!set metallic Lambda(0.25)\n\
        !set base_colour { red 0.5, green Lambda(0.1) }\n\
        !set normal_map { bitmap \"walls/brick.bitmap\", scale vec(2, 2), rotation 90 }\n!set alpha \"mask\"\n";
    check(Material::class(), "material", text);
}

#[test]
fn a_model_has_nodes_meshes_and_markers() {
    let text = "@model\n!set nodes [{ name \"root\", rotation [0, 0, 0, 1] }]\n\
        !set meshes [{ name \"hull\", stride 16, attributes [{ meaning \"normal\", format \"octahedral\" }],\n\
        lods [{ triangles 12 }] }]\n!set markers [{ name \"muzzle\", node 0 }]\n!set lights [{ name \"lamp\", kind \"spot\" }]\n";
    check(Model::class(), "model", text);
}

#[test]
fn an_animation_has_tracks_and_events() {
    let text = "@animation\n!set tracks [{ node \"root\", channels [{ target \"rotation\", keys 3 }] }]\n\
        !set events [{ name \"step\", time 0.5 }]\n!set loops true\n";
    check(Animation::class(), "animation", text);
}

#[test]
fn a_graph_has_states_and_transitions() {
    let text = "@animation_graph\n!set speed 0\n!set layers [{ name \"body\", states [{ name \"idle\", clip \"idle\", loops true }],\n\
        transitions [{ name \"start\", from \"idle\", to \"walk\", when Lambda(speed > 1) }] }]\n\
        !set parameters [{ name \"speed\" }]\n";
    check(AnimationGraph::class(), "animation_graph", text);
}

#[test]
fn an_effect_has_parts_of_all_kinds() {
    let text = "@effect\n!set particles [{ name \"sparks\", rate 50, start { marker \"muzzle\" } }]\n\
        !set beams [{ name \"beam\" }]\n!set trails [{ name \"smoke\" }]\n!set decals [{ name \"burn\" }]\n\
        !set lights [{ name \"flash\" }]\n!set shakes [{ name \"kick\" }]\n!set sounds [{ name \"bang\", sound \"a.sound\" }]\n";
    check(Effect::class(), "effect", text);
}

#[test]
fn cameras_and_skies_take_angles_and_colours() {
    check(
        Camera::class(),
        "camera",
        "@camera\n!set kind \"strategy\"\n!set pitch 55\n!set distance_max 900\n!set rolls true\n",
    );
    let text = "@sky\n!set kind \"day\"\n!set nebulae [\"#ff0080\", \"#2040ff\"]\n!set sun_direction vec(1, 0, 1)\n";
    check(Sky::class(), "sky", text);
}

#[test]
fn a_sound_has_fields_for_people() {
    let text = "@sound\n!set bus \"speech\"\n!set rolloff \"linear\"\n!set priority 4\n!set voices_max 3\n\
        !set pitch_variation 2\n!set fade_out 1.5\n!set alternatives [{ sound \"a.sound\", weight 2 }]\n";
    check(Sound::class(), "sound", text);
}

#[test]
fn a_mix_has_buses_a_reverb_and_a_limiter() {
    let text = "@mix\n!set buses [{ name \"music\", volume -6, time \"steady\", duck_by \"speech\", duck -9,\n\
        compressor { threshold -18, ratio 4 } }]\n!set reverb { decay 3 }\n!set ceiling -1\n";
    check(Mix::class(), "mix", text);
}
