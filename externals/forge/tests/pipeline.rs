//! From a source file to a tag: what is imported when, what stays of people's edits, and what a failure leaves behind.

use crate::note;

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use forge::classes::Classes;
use forge::pipeline::held::imported_text;
use forge::pipeline::intake::{TagChange, TakeImported};
use forge::pipeline::job::{Job, Outcome};
use forge::pipeline::plan::{Reason, Request};
use forge::pipeline::run::{Event, Pipeline, Summary, data_of};
use forge::pipeline::worker::Isolation;
use media::Importer;
use note::{IMPORTERS, Note, Plan};
use proptest::prelude::*;
use tags::Tag;
use testing::Folder;

/// A project with a folder of sources and a folder of tags.
struct Project {
    folder: Folder,
}

impl Project {
    fn new(sources: &[(&str, &str)]) -> Project {
        let project = Project { folder: Folder::new() };
        fs::create_dir_all(project.folder.join("tags")).expect("the folder is writable and the class known");
        fs::create_dir_all(project.folder.join("data")).expect("the folder is writable and the class known");
        sources.iter().for_each(|(path, text)| project.write(path, text));
        project
    }

    fn write(&self, path: &str, text: &str) {
        self.folder.write(&format!("data/{path}"), text.as_bytes());
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.tag(path);
        assert!(text.contains(from), "{from} in {text}");
        self.folder.write(&format!("tags/{path}"), text.replace(from, to).as_bytes());
    }

    fn tag(&self, path: &str) -> String {
        self.folder.read(&format!("tags/{path}"))
    }

    fn tags(&self) -> Vec<String> {
        let walk = host::walk::walk(&self.folder.join("tags"), &host::walk::WalkLimits::default())
            .expect("the folder is writable and the class known");
        walk.files.into_iter().map(|file| file.path).collect()
    }

    fn pipeline(&self) -> Pipeline<'static> {
        let tree = self.folder.join("tags");
        let mut classes = Classes::default();
        classes.add(Note::class()).expect("the folder is writable and the class known");
        classes.add(Plan::class()).expect("the folder is writable and the class known");
        Pipeline {
            data: data_of(&tree),
            tree,
            classes,
            importers: IMPORTERS,
            isolation: Isolation::None,
            workers: 2,
            patience: Duration::from_secs(60),
            take: TakeImported::None,
            is_dry: false,
        }
    }

    fn run(&self) -> (Summary, Vec<Event>) {
        run(&self.pipeline(), &Request::default())
    }
}

fn run(pipeline: &Pipeline<'_>, request: &Request) -> (Summary, Vec<Event>) {
    let mut events = Vec::new();
    let summary =
        pipeline.run(request, &mut |event| events.push(event)).expect("the folder is writable and the class known");
    (summary, events)
}

fn reasons(events: &[Event]) -> Vec<(&str, &Reason)> {
    fn reason(event: &Event) -> Option<(&str, &Reason)> {
        match event {
            Event::Imported { source, reason, .. } => Some((source.as_str(), reason)),
            _ => None,
        }
    }
    let mut reasons: Vec<_> = events.iter().filter_map(reason).collect();
    reasons.sort_by_key(|(source, _)| *source);
    reasons
}

fn errors(events: &[Event]) -> Vec<&str> {
    fn error(event: &Event) -> Option<&str> {
        match event {
            Event::Failed { error, .. } => Some(error.as_str()),
            _ => None,
        }
    }
    events.iter().filter_map(error).collect()
}

#[test]
fn a_source_becomes_a_tag_with_its_container_and_origin() {
    let project = Project::new(&[("ships/log.txt", "up up down")]);
    let (summary, events) = project.run();
    assert_eq!(summary, Summary { imported: 1, written: 1, ..Summary::default() });
    let files = project.tags();
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(files[0] == "ships/log.note" && files[1].starts_with("ships/log.note-") && files[1].ends_with(".bulk"));
    let text = project.tag("ships/log.note");
    assert!(text.starts_with("@note\n!set length 10\n!set words ["), "{text}");
    assert!(text.contains("file \"ships/log.txt\"") && text.contains("importer \"note\", version 1"), "{text}");
    assert!(text.contains("exporter \"hand\""), "{text}");
    let imported = imported_text(&project.folder.join(format!("tags/{}", files[1]))).unwrap();
    assert!(imported.lines().all(|line| text.contains(line)), "the container keeps the imported text: {imported}");
    let Event::Imported { tags, .. } = &events[1] else { panic!("{events:?}") };
    assert_eq!((tags[0].change, tags[0].warnings.as_slice()), (TagChange::Created, &["only a test".to_string()][..]));
}

#[test]
fn an_unchanged_source_is_not_imported_again() {
    let project = Project::new(&[("a.txt", "one"), ("b.txt", "two")]);
    project.run();
    let before = project.tag("a.note");
    assert_eq!(project.run().0, Summary { unchanged: 2, ..Summary::default() });
    project.write("b.txt", "two");
    assert_eq!(project.run().0, Summary { unchanged: 2, ..Summary::default() }, "written with the same bytes");
    project.write("b.txt", "two two");
    let (summary, events) = project.run();
    assert_eq!((summary.imported, summary.unchanged), (1, 1));
    assert_eq!(reasons(&events), [("b.txt", &Reason::Changed)]);
    assert_eq!(project.tag("a.note"), before);
}

#[test]
fn every_cause_of_an_import_is_found() {
    let project = Project::new(&[("a.txt", "include a.part"), ("a.part", "word"), ("b.txt", "two")]);
    project.run();
    assert!(project.tag("a.note").contains("\"word\", count 1"));
    project.write("a.part", "other words");
    let (_, events) = project.run();
    assert_eq!(reasons(&events), [("a.txt", &Reason::BesideChanged("a.part".into()))]);
    fs::remove_file(project.folder.join("tags/b.note")).unwrap();
    let (_, events) = project.run();
    assert_eq!(reasons(&events), [("b.txt", &Reason::FileMissing("b.note".into()))]);
    project.edit("b.note", "version 1", "version 1, options [ { name \"factor\", value \"3\" } ]");
    let (_, events) = project.run();
    assert_eq!(reasons(&events), [("b.txt", &Reason::OptionsChanged)]);
    assert!(project.tag("b.note").contains("\"two\", count 3"), "{}", project.tag("b.note"));
    assert_eq!(project.run().0.imported, 0, "the options stay in the tag");
    let newer = [Importer { version: 2, ..IMPORTERS[0] }];
    let (_, events) = run(&Pipeline { importers: &newer, ..project.pipeline() }, &Request::default());
    assert_eq!(reasons(&events).len(), 2);
    assert!(reasons(&events).iter().all(|(_, reason)| **reason == Reason::ImporterChanged));
    let forced = Request { only: vec!["b.txt".into()], is_forced: true, ..Request::default() };
    let (_, events) = run(&project.pipeline(), &forced);
    assert_eq!(reasons(&events), [("b.txt", &Reason::Forced)]);
}

#[test]
fn what_people_edited_stays() {
    let project = Project::new(&[("log.txt", "up down left")]);
    project.run();
    project.edit("log.note", "@note\n", "@note\n// Louder, because it is far away.\n!set volume 3 // dB\n");
    project.edit("log.note", "name \"down\", count 1", "name \"down\", count 9");
    project.write("log.txt", "up up down left right");
    let (summary, events) = project.run();
    let text = project.tag("log.note");
    assert_eq!(summary.imported, 1);
    assert!(text.contains("// Louder, because it is far away.\n!set volume 3 // dB\n"), "{text}");
    assert!(text.contains("\"down\", count 9"), "edited, and not changed in the source: {text}");
    assert!(text.contains("\"up\", count 2") && text.contains("\"right\", count 1"), "{text}");
    let Event::Imported { tags, .. } = &events[1] else { panic!("{events:?}") };
    assert!(tags[0].kept.is_empty(), "{:?}", tags[0].kept);
}

#[test]
fn where_source_and_people_differ_the_people_count_and_both_are_reported() {
    let project = Project::new(&[("log.txt", "up down")]);
    project.run();
    project.edit("log.note", "name \"down\", count 1", "name \"down\", count 9");
    project.write("log.txt", "up down down");
    let (_, events) = project.run();
    let text = project.tag("log.note");
    assert!(text.contains("\"down\", count 9") && !text.contains("conflict"), "{text}");
    let Event::Imported { tags, .. } = &events[1] else { panic!("{events:?}") };
    let [kept] = tags[0].kept.as_slice() else { panic!("{:?}", tags[0].kept) };
    assert_eq!((kept.ours.as_deref(), kept.theirs.as_deref()), (Some("9"), Some("2")));
    // Asked for, the imported value is taken.
    project.write("log.txt", "up down down down");
    let take = TakeImported::Fields(vec!["words".into()]);
    run(&Pipeline { take, ..project.pipeline() }, &Request::default());
    assert!(project.tag("log.note").contains("\"down\", count 3"), "{}", project.tag("log.note"));
}

#[test]
fn imported_values_can_be_taken_after_the_import_that_reported_them() {
    let project = Project::new(&[("log.txt", "up down")]);
    project.run();
    project.edit("log.note", "!set length 7", "!set length 70");
    project.edit("log.note", "name \"down\", count 1", "name \"down\", count 9");
    let forced = Request { is_forced: true, ..Request::default() };
    let take = |take| Pipeline { take, ..project.pipeline() };
    run(&take(TakeImported::Fields(vec!["length".into(), "no_such_field".into()])), &forced);
    let text = project.tag("log.note");
    assert!(text.contains("!set length 7\n") && text.contains("\"down\", count 9"), "{text}");
    run(&take(TakeImported::Fields(vec!["words[down].count".into()])), &forced);
    assert!(project.tag("log.note").contains("\"down\", count 1"), "{}", project.tag("log.note"));
    project.edit("log.note", "!set length 7", "!set length 70");
    run(&take(TakeImported::All), &forced);
    assert!(project.tag("log.note").contains("!set length 7\n"), "{}", project.tag("log.note"));
}

#[test]
fn an_edited_element_that_vanished_from_the_source_stays_and_is_reported() {
    let project = Project::new(&[("log.txt", "up down left")]);
    project.run();
    project.edit("log.note", "name \"down\", count 1", "name \"down\", count 9");
    project.write("log.txt", "up up left");
    let (summary, events) = project.run();
    assert_eq!((summary.imported, summary.failed), (1, 0), "{events:?}");
    let text = project.tag("log.note");
    assert!(text.contains("\"down\"") && text.contains("count 9") && text.contains("\"up\", count 2"), "{text}");
    let Event::Imported { tags, .. } = &events[1] else { panic!("{events:?}") };
    assert_eq!(tags[0].kept.len(), 1, "{:?}", tags[0].kept);
    let take = TakeImported::Fields(vec!["words".into()]);
    let forced = Request { is_forced: true, ..Request::default() };
    run(&Pipeline { take, ..project.pipeline() }, &forced);
    assert!(!project.tag("log.note").contains("\"down\""), "{}", project.tag("log.note"));
}

#[test]
fn a_lost_container_is_made_again_and_one_that_another_tag_names_is_kept() {
    let project = Project::new(&[("log.txt", "up")]);
    project.run();
    let container = || project.tags().into_iter().find(|path| path.ends_with(".bulk")).unwrap();
    let first = container();
    let text = project.tag("log.note");
    fs::remove_file(project.folder.join(format!("tags/{first}"))).unwrap();
    let (_, events) = project.run();
    assert_eq!(reasons(&events), [("log.txt", &Reason::FileMissing(first.clone()))]);
    assert_eq!(container(), first);
    // A copy of the tag names the same container.
    project.folder.write("tags/copy.note", text.as_bytes());
    project.write("log.txt", "up down");
    project.run();
    assert!(project.tags().contains(&first), "{:?}", project.tags());
    fs::remove_file(project.folder.join("tags/copy.note")).unwrap();
    fs::remove_file(project.folder.join(format!("tags/{first}"))).unwrap();
    // The tag is put back as it was before, and its container is gone.
    project.folder.write("tags/log.note", text.as_bytes());
    let (summary, events) = project.run();
    assert_eq!((summary.imported, summary.failed), (1, 0), "{events:?}");
    let text = project.tag("log.note");
    assert!(text.contains(&container()) && text.contains("\"down\""), "{text}");
}

#[test]
fn a_tag_that_refused_an_import_is_asked_again_once_it_is_corrected() {
    let project = Project::new(&[("log.txt", "up")]);
    project.run();
    let text = project.tag("log.note");
    project.folder.write("tags/log.note", format!("{text}!set volume [[\n").as_bytes());
    project.write("log.txt", "up down");
    assert_eq!(project.run().0.failed, 1);
    project.folder.write("tags/log.note", text.as_bytes());
    let (summary, events) = project.run();
    assert_eq!((summary.imported, summary.failed), (1, 0), "{events:?}");
}

#[test]
fn a_tag_made_by_hand_keeps_its_values_and_gets_the_rest() {
    let project = Project::new(&[("log.txt", "up")]);
    project.folder.write("tags/log.note", b"@note\n!set length 77\n");
    let (summary, _) = project.run();
    let text = project.tag("log.note");
    assert_eq!(summary.imported, 1);
    assert!(text.contains("!set length 77") && text.contains("\"up\", count 1") && text.contains("data {"), "{text}");
}

#[test]
fn a_failed_import_changes_nothing_and_is_reported_until_it_is_mended() {
    let project = Project::new(&[("a.txt", "one"), ("b.txt", "two")]);
    project.run();
    let before = (project.tag("a.note"), project.tags());
    for bad in ["", "panic", "include ../b.txt", "include /etc/passwd", "include none.txt"] {
        project.write("a.txt", bad);
        let (summary, events) = project.run();
        assert_eq!((summary.imported, summary.failed, summary.unchanged), (0, 1, 1), "{bad}");
        assert!(!errors(&events)[0].is_empty());
        assert_eq!((project.tag("a.note"), project.tags()), before, "{bad}");
        let (summary, _) = project.run();
        assert_eq!((summary.imported, summary.failed), (0, 1), "{bad}: still broken, and not tried again");
    }
    project.write("none.txt", "now it is there");
    assert_eq!(project.run().0.imported, 2, "the missing file, and the source that names it");
    assert!(project.tag("a.note").contains("\"there\""));
}

#[cfg(unix)]
#[test]
fn no_link_is_followed_out_of_the_folder() {
    let project = Project::new(&[("a.txt", "include deep/b.txt"), ("secret", "secret")]);
    std::os::unix::fs::symlink(project.folder.path(), project.folder.join("data/deep")).unwrap();
    project.folder.write("b.txt", b"outside");
    let (_, events) = project.run();
    assert!(errors(&events)[0].contains("link"), "{events:?}");
}

#[test]
fn the_parts_of_a_source_are_tags_below_it_and_dropped_ones_are_reported() {
    let project = Project::new(&[("log.txt", "part deck/one\npart two\nup")]);
    project.run();
    assert!(project.tags().contains(&"log/deck/one.note".to_string()), "{:?}", project.tags());
    project.write("log.txt", "part two\nup");
    let (_, events) = project.run();
    let Event::Imported { dropped, tags, .. } = &events[1] else { panic!("{events:?}") };
    assert_eq!(dropped, &["log/deck/one.note"]);
    assert_eq!(tags.len(), 2);
    project.write("log.txt", "part two\npart two\nup");
    assert!(errors(&project.run().1)[0].contains("the same tag `two.note`"));
}

#[test]
fn a_class_without_bulk_data_keeps_its_base_beside_the_tag() {
    let project = Project::new(&[("log.txt", "part plan way\nup down")]);
    project.run();
    let text = project.tag("log/way.plan");
    assert!(
        !text.contains("source") && project.tag("log/way.plan.imported").contains("// source { file \"log.txt\""),
        "{text}"
    );
    project.edit("log/way.plan", "@plan\n", "@plan\n!set volume 3\n");
    project.edit("log/way.plan", "name \"down\", count 1", "name \"down\", count 9");
    project.write("log.txt", "part plan way\nup up down");
    project.run();
    let text = project.tag("log/way.plan");
    assert!(
        text.contains("volume 3") && text.contains("\"down\", count 9") && text.contains("\"up\", count 2"),
        "{text}"
    );
    project.write("log.txt", "part plan way\nup up down ");
    let (_, events) = project.run();
    let Event::Imported { tags, .. } = &events[1] else { panic!("{events:?}") };
    assert_eq!(tags[1].change, TagChange::None, "{tags:?}");
    let tree = forge::tree::Tree::open(&project.folder.join("tags"), tags::Classes::new()).unwrap();
    assert!(tree.others.iter().all(|file| !file.path.ends_with(".imported")), "it belongs to the tools");
}

#[test]
fn two_sources_of_one_tag_are_reported() {
    let project = Project::new(&[("log.txt", "up"), ("LOG.txt", "down")]);
    let (summary, events) = project.run();
    let Event::Planned(plan) = &events[0] else { panic!("{events:?}") };
    assert_eq!(plan.doubled, [("LOG.txt".to_string(), "log.txt".to_string())]);
    assert_eq!((summary.imported, summary.failed), (1, 1));
}

#[test]
fn a_moved_source_keeps_its_tag_and_another_one_does_not_take_it() {
    let two = [Importer { extensions: &["txt", "text"], ..IMPORTERS[0] }];
    let project = Project::new(&[("log.txt", "up")]);
    project.run();
    project.edit("log.note", "@note\n", "@note\n!set volume 5\n");
    fs::rename(project.folder.join("data/log.txt"), project.folder.join("data/log.text")).unwrap();
    let pipeline = Pipeline { importers: &two, ..project.pipeline() };
    let (summary, events) = run(&pipeline, &Request::default());
    assert_eq!(summary.imported, 1);
    let Event::Planned(plan) = &events[0] else { panic!("{events:?}") };
    let [vanished] = plan.vanished.as_slice() else { panic!("{:?}", plan.vanished) };
    assert_eq!((vanished.source.as_str(), vanished.moved_to.as_deref()), ("log.txt", Some("log.text")));
    let text = project.tag("log.note");
    assert!(text.contains("!set volume 5") && text.contains("file \"log.text\""), "{text}");
}

#[test]
fn a_dry_run_writes_nothing() {
    let project = Project::new(&[("a.txt", "one")]);
    let (summary, _) = run(&Pipeline { is_dry: true, ..project.pipeline() }, &Request::default());
    assert_eq!((summary.imported, project.tags()), (1, Vec::new()));
    assert!(!project.folder.join(".astrarium").exists());
}

#[test]
fn a_damaged_index_or_container_only_costs_time() {
    let project = Project::new(&[("a.txt", "one")]);
    project.run();
    project.edit("a.note", "@note\n", "@note\n!set volume 5\n");
    let index = project.folder.join(".astrarium/imports");
    fs::write(&index, b"nonsense").unwrap();
    let (summary, events) = project.run();
    assert_eq!((summary.imported, summary.written), (1, 0), "{events:?}");
    let container = project.tags().into_iter().find(|path| path.ends_with(".bulk")).unwrap();
    fs::write(project.folder.join(format!("tags/{container}")), b"nonsense").unwrap();
    project.write("a.txt", "one two");
    project.run();
    let text = project.tag("a.note");
    assert!(text.contains("!set volume 5") && text.contains("\"two\""), "{text}");
}

#[test]
fn a_watch_imports_changes_until_it_ends() {
    let project = Project::new(&[("a.txt", "one")]);
    let (pipeline, end) = (project.pipeline(), AtomicBool::new(false));
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut imported = 0;
    let mut report = |event: Event| match event {
        Event::Imported { .. } => {
            imported += 1;
            match imported {
                1 => project.write("deep/b.txt", "two"),
                _ => end.store(true, Ordering::Relaxed),
            }
        }
        _ if Instant::now() > deadline => end.store(true, Ordering::Relaxed),
        _ => {}
    };
    pipeline.watch(&Request::default(), &end, &mut report).unwrap();
    assert_eq!(imported, 2);
    assert!(project.tag("deep/b.note").contains("\"two\""));
}

#[test]
fn a_watch_sees_options_that_are_changed_in_a_tag() {
    let project = Project::new(&[("a.txt", "one"), ("b.txt", "two")]);
    let (pipeline, end) = (project.pipeline(), AtomicBool::new(false));
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut imported = Vec::new();
    let mut report = |event: Event| match event {
        Event::Imported { source, reason, .. } => {
            imported.push((source, reason));
            match imported.len() {
                2 => project.edit("a.note", "version 1", "version 1, options [ { name \"factor\", value \"3\" } ]"),
                3.. => end.store(true, Ordering::Relaxed),
                _ => {}
            }
        }
        _ if Instant::now() > deadline => end.store(true, Ordering::Relaxed),
        _ => {}
    };
    pipeline.watch(&Request::default(), &end, &mut report).unwrap();
    assert_eq!(imported[2..], [("a.txt".to_string(), Reason::OptionsChanged)]);
    assert!(project.tag("a.note").contains("count 3"));
}

#[test]
fn what_people_added_is_carried_to_the_tags_of_a_moved_source() {
    let project = Project::new(&[("log.txt", "up down\npart plan week"), ("other.txt", "unrelated")]);
    let request = Request { options: vec![("factor".into(), "2".into())], ..Request::default() };
    run(&project.pipeline(), &request);
    project.edit("log.note", "@note\n", "@note\n// mine\n!set volume 5\n");
    project.edit("log/week.plan", "@plan\n", "@plan\n!set volume 7\n");
    fs::create_dir_all(project.folder.join("data/ships")).unwrap();
    fs::rename(project.folder.join("data/log.txt"), project.folder.join("data/ships/journal.txt")).unwrap();
    let (summary, events) = project.run();
    assert_eq!((summary.imported, summary.unchanged), (1, 1));
    assert_eq!(reasons(&events), [("ships/journal.txt", &Reason::Moved("log.txt".into()))]);
    let text = project.tag("ships/journal.note");
    assert!(text.contains("// mine\n!set volume 5") && text.contains("count 2"), "edits and options: {text}");
    assert!(text.contains("file \"ships/journal.txt\"") && text.contains("journal.note-"), "{text}");
    assert!(project.tag("ships/journal/week.plan").contains("!set volume 7"));
    assert!(project.tag("log.note").contains("!set volume 5"), "what others refer to stays");
    assert_eq!(project.run().0, Summary { unchanged: 2, ..Summary::default() });
    // A copy is not a move.
    project.write("copy.txt", "unrelated");
    assert_eq!(reasons(&project.run().1), [("copy.txt", &Reason::New)]);
}

#[test]
fn an_option_without_a_value_has_its_default_again() {
    let project = Project::new(&[("a.txt", "one")]);
    let option = |value: &str| Request { options: vec![("factor".into(), value.into())], ..Request::default() };
    run(&project.pipeline(), &option("4"));
    assert!(project.tag("a.note").contains("count 4"));
    // Also one that was edited in the tag since.
    project.edit("a.note", "value \"4\"", "value \"5\"");
    run(&project.pipeline(), &option(""));
    let text = project.tag("a.note");
    assert!(text.contains("count 1") && !text.contains("options"), "{text}");
    assert_eq!(project.run().0, Summary { unchanged: 1, ..Summary::default() });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn jobs_and_outcomes_decode_from_arbitrary_bytes_or_fail(bytes: Vec<u8>) {
        let _ = Job::decode(&bytes);
        let _ = Outcome::decode(&bytes);
    }

    #[test]
    fn a_job_is_decoded_as_it_was_encoded(source: String, importer: String, options: Vec<(String, String)>, version: u32) {
        let versions = vec![(importer.clone(), version)];
        let job = Job { source, importer, options, versions, exported_from: String::new() };
        prop_assert_eq!(Job::decode(&job.encode()), Ok(job));
    }
}

#[test]
fn read_only_fields_follow_the_import_and_an_edit_of_one_is_reported() {
    let project = Project::new(&[("a.txt", "one two")]);
    project.run();
    project.edit("a.note", "!set size 7", "!set size 900");
    let overruled = |events: &[Event]| match events.iter().find(|event| matches!(event, Event::Imported { .. })) {
        Some(Event::Imported { tags, .. }) => {
            let edits = tags[0].overruled.iter();
            edits.map(|edit| (edit.place.to_string(), edit.ours.clone(), edit.theirs.clone())).collect::<Vec<_>>()
        }
        _ => panic!("{events:?}"),
    };
    let forced = Request { is_forced: true, ..Request::default() };
    let (_, events) = run(&project.pipeline(), &forced);
    assert_eq!(overruled(&events), [("size".to_string(), Some("900".to_string()), Some("7".to_string()))]);
    assert!(project.tag("a.note").contains("!set size 7\n"), "{}", project.tag("a.note"));
    project.edit("a.note", "!set size 7\n", "");
    project.write("a.txt", "one two three");
    let (_, events) = project.run();
    assert_eq!(overruled(&events), [("size".to_string(), None, Some("13".to_string()))]);
    assert!(project.tag("a.note").lines().any(|line| line.starts_with("!set size ") && line.ends_with(" 13")));
    let (_, events) = run(&project.pipeline(), &forced);
    assert_eq!(overruled(&events), [], "nothing was edited since");
}

#[test]
fn a_comment_in_a_list_without_keys_stays_and_the_list_follows_the_import() {
    let project = Project::new(&[("a.txt", "one two three four")]);
    project.run();
    project.edit("a.note", "    3,\n    5", "    3,\n    // the long one\n    5");
    project.write("a.txt", "eleven");
    let (summary, events) = project.run();
    assert_eq!((summary.imported, summary.failed), (1, 0), "{events:?}");
    let Some(Event::Imported { tags, .. }) = events.last() else { panic!("{events:?}") };
    assert!(tags[0].kept.is_empty(), "a comment is no edit: {:?}", tags[0].kept);
    let text = project.tag("a.note");
    assert!(text.contains("// the long one\n!set sizes [\n    6\n]"), "{text}");
    // Where people changed an element, it stays, and can be given up.
    project.edit("a.note", "!set sizes [\n    6\n]", "!set sizes [\n    50\n]");
    project.write("a.txt", "eight words are here");
    let (_, events) = project.run();
    let Some(Event::Imported { tags, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(tags[0].kept.len(), 1, "{:?}", tags[0].kept);
    let pipeline = Pipeline { take: TakeImported::Fields(vec!["sizes".into()]), ..project.pipeline() };
    let (summary, events) = run(&pipeline, &Request { is_forced: true, ..Request::default() });
    assert_eq!(summary.failed, 0, "{events:?}");
    assert!(!project.tag("a.note").contains("    50\n"), "{}", project.tag("a.note"));
}
