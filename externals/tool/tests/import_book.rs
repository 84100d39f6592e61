//! The chapter about importing, executed word by word.

use crate::common;

use common::Folder;
use common::chapter::{blocks, commands, is_as_shown, run};
use media::importers::IMPORTERS;
use media::limits::{CHANNELS_MAX, NODE_DEPTH_MAX, NODES_MAX, PIXELS_MAX, SAMPLES_MAX, SIDE_MAX, SOURCE_BYTES_MAX};
use media::picture::Picture;

const CHAPTER: &str = include_str!("../../../docs/book/src/importing.md");
const COMMANDS: &str = include_str!("../../../docs/book/src/commands.md");

#[test]
fn every_command_of_the_chapter_about_importing_gives_the_output_shown() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.join("tags")).expect("the folder can be created");
    folder.write("data/ships/hull.png", Picture::filled(64, 64, [200, 90, 30, 255]).to_png());
    let mut count = 0;
    for (kind, inside) in blocks(CHAPTER) {
        if let Some((_, path)) = kind.split_once(' ') {
            folder.write(path, &inside);
        }
        if kind == "console" {
            for (line, shown) in commands(&inside) {
                // The order of files that are imported at the same time is open.
                let line = line.replace("astrarium import", "astrarium import --workers 1");
                let printed = run(&folder, &line);
                assert!(is_as_shown(&printed, &shown), "$ {line}\n{printed}\nthe chapter shows:\n{shown}");
                count += 1;
            }
        }
    }
    assert!(count >= 12, "{count}");
    assert!(folder.join("hull-sheet.png").exists());
}

#[test]
fn the_table_of_file_types_is_that_of_the_importers() {
    let rows: Vec<Vec<&str>> = CHAPTER
        .lines()
        .skip_while(|line| *line != "| importer | files | becomes |")
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let listed: Vec<(&str, &str)> = rows.iter().map(|row| (row[1].trim_matches('`'), row[2])).collect();
    let files = |extensions: &[&str]| format!(".{}", extensions.join(" ."));
    let known: Vec<(&str, String)> =
        IMPORTERS.iter().map(|importer| (importer.name, files(importer.extensions))).collect();
    assert_eq!(listed, known.iter().map(|(name, files)| (*name, files.as_str())).collect::<Vec<_>>());
}

#[test]
fn the_limits_of_the_chapter_are_those_of_the_importers() {
    assert_eq!((SOURCE_BYTES_MAX, SIDE_MAX, PIXELS_MAX), (1 << 30, 16_384, 1 << 26));
    assert_eq!((CHANNELS_MAX, SAMPLES_MAX, NODES_MAX, NODE_DEPTH_MAX), (8, 1 << 27, 131_072, 256));
    assert_eq!(forge::pipeline::run::Pipeline::PATIENCE.as_secs(), 600);
}

#[test]
fn every_flag_of_import_is_in_the_list_of_commands() {
    let section = COMMANDS.split("\n## ").find(|section| section.starts_with("`import ")).expect("it has a section");
    let help = Folder::new().run("import --help").stdout();
    let flags: Vec<&str> = help.split_whitespace().filter(|word| word.starts_with("--") && *word != "--help").collect();
    assert!(flags.len() >= 9, "{help}");
    for flag in flags {
        assert!(section.contains(&format!("`{flag}")), "{flag}");
    }
}
