//! Exporting the files of authoring programs: which are due, what a failure leaves, and Blender itself where it is installed.

use crate::note;

use std::fs;
use std::time::Duration;

use forge::classes::Classes;
use forge::pipeline::export::{DECLARATIONS, ExportError, Exported};
use forge::pipeline::intake::TakeImported;
use forge::pipeline::plan::Request;
use forge::pipeline::run::Pipeline;
use forge::pipeline::worker::Isolation;
use note::{IMPORTERS, Note};
use tags::Tag;
use testing::Folder;

fn pipeline(folder: &Folder) -> Pipeline<'static> {
    let mut classes = Classes::default();
    classes.add(Note::class()).expect("the only class");
    fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    Pipeline {
        data: folder.join("data"),
        tree: folder.join("tags"),
        classes,
        importers: IMPORTERS,
        isolation: Isolation::None,
        workers: 1,
        patience: Duration::from_secs(60),
        take: TakeImported::None,
        is_dry: false,
    }
}

fn export(folder: &Folder, request: &Request) -> Vec<(String, Exported)> {
    let mut all = Vec::new();
    let exported = pipeline(folder).export(request, &mut |source, done| all.push((source.to_string(), done.clone())));
    exported.expect("the declarations are sound");
    all
}

#[cfg(unix)]
#[test]
fn a_declared_program_exports_what_changed_and_its_tag_knows_the_original() {
    let folder = Folder::new();
    folder.write("data/log.draft", b"up down");
    let command = "[\"cp\", \"{source}\", \"{output}\"]";
    let declared = format!("@exporters\n!set rows [ {{ extension \"draft\", makes \"txt\", command {command} }} ]\n");
    folder.write(&format!("data/{DECLARATIONS}"), declared.as_bytes());
    let done = [("log.draft".to_string(), Exported::Done("log.txt".into()))];
    assert_eq!(export(&folder, &Request::default()), done);
    assert_eq!(export(&folder, &Request::default()), [], "nothing changed");
    pipeline(&folder).run(&Request::default(), &mut |_| {}).unwrap();
    let text = folder.read("tags/log.note");
    assert!(text.contains("file \"log.draft\"") && text.contains("intermediate \"log.txt\""), "{text}");
    folder.write("data/log.draft", b"up up");
    assert_eq!(export(&folder, &Request::default()), done);
    assert_eq!(pipeline(&folder).run(&Request::default(), &mut |_| {}).unwrap().imported, 1, "the same source");
    fs::remove_file(folder.join("data/log.txt")).unwrap();
    assert_eq!(export(&folder, &Request::default()), done, "its output is missing");
    let other = Request { only: vec!["other".into()], is_forced: true, ..Request::default() };
    assert_eq!(export(&folder, &other), [], "it was not asked for");
    assert_eq!(export(&folder, &Request { is_forced: true, ..Request::default() }), done);
}

#[cfg(unix)]
#[test]
fn a_failed_export_says_why_and_is_tried_again() {
    let folder = Folder::new();
    folder.write("data/a.draft", b"up");
    folder.write("data/a.txt", b"earlier");
    let row =
        |extension: &str, command: &str| format!("{{ extension \"{extension}\", makes \"txt\", command {command} }}");
    for (command, reason) in [
        ("[\"sh\", \"-c\", \"echo no licence >&2; exit 2\"]", "no licence"),
        ("[\"no-such-program-anywhere\"]", "not installed"),
        ("[]", "has no command"),
    ] {
        let text = format!("@exporters\n!set rows [ {} ]\n", row("draft", command));
        folder.write(&format!("data/{DECLARATIONS}"), text.as_bytes());
        for _ in 0..2 {
            let [(_, Exported::Skipped(why))] = &export(&folder, &Request::default())[..] else { panic!("{command}") };
            assert!(why.contains(reason), "{why}");
        }
        assert_eq!(folder.read("data/a.txt"), "earlier");
    }
    folder.write(&format!("data/{DECLARATIONS}"), b"@exporters\n!set rows 3\n");
    let failed = pipeline(&folder).export(&Request::default(), &mut |_, _| {});
    assert!(matches!(failed, Err(ExportError::Declarations(_))), "{failed:?}");
}

/// A Blender file of one cube, made by Blender itself.
const MAKE: &str = "import bpy,sys; bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])";

#[test]
fn one_blender_exports_many_files_and_skips_a_damaged_one() {
    let folder = Folder::new();
    folder.write("data/ships/bad.blend", b"not a Blender file");
    let whole = folder.join("data/ships/cube.blend").to_string_lossy().into_owned();
    let arguments = ["--background", "--factory-startup", "--python-expr", MAKE, "--", whole.as_str()];
    let patience = Duration::from_secs(300);
    if let Err(error) = host::tool_run::run("blender", &arguments, folder.path(), patience) {
        assert!(std::env::var_os("CI").is_none(), "Blender is required in CI: {error}");
        println!("skipped: Blender is not installed");
        return;
    }
    fs::copy(&whole, folder.join("data/box.blend")).unwrap();
    let exported = export(&folder, &Request::default());
    assert_eq!(exported[0], ("box.blend".to_string(), Exported::Done("box.glb".into())));
    assert!(matches!(&exported[1], (source, Exported::Skipped(_)) if source == "ships/bad.blend"), "{exported:?}");
    assert_eq!(exported[2], ("ships/cube.blend".to_string(), Exported::Done("ships/cube.glb".into())));
    assert!(fs::read(folder.join("data/ships/cube.glb")).unwrap().starts_with(b"glTF"));
    assert_eq!(export(&folder, &Request::default()).len(), 1, "only the damaged one is tried again");
}
