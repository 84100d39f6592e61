//! Shared by the tests of the forge: a folder with a tree, and two classes.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

use std::fs;
use std::path::{Path, PathBuf};

use forge::tree::Tree;
use tags::class::{Class, Field, Kind, Named, Number, Record};

/// A temporary folder with a tree of tags in `tags/`.
pub struct Folder(testing::Folder);

impl Folder {
    /// A tree with these files.
    pub fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(testing::Folder::new());
        fs::create_dir(folder.root()).expect("the folder can be created");
        files.iter().for_each(|(path, text)| folder.write(path, text.as_bytes()));
        folder
    }

    pub fn root(&self) -> PathBuf {
        self.0.join("tags")
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, path: &str, bytes: &[u8]) {
        self.0.write(&format!("tags/{path}"), bytes);
    }

    pub fn read(&self, path: &str) -> String {
        self.0.read(&format!("tags/{path}"))
    }

    /// The tree as it is now, with the classes of this page.
    pub fn tree(&self) -> Tree {
        self.tree_of(classes())
    }

    pub fn tree_of(&self, classes: Vec<Class>) -> Tree {
        let mut given = tags::Classes::new();
        classes.into_iter().for_each(|class| given.add_table(class).expect("the names are unique"));
        Tree::open(&self.root(), given).expect("the folder can be listed")
    }
}

pub fn classes() -> Vec<Class> {
    vec![ship(), weapon(), Class::new("globals").finish().expect("it has no fields")]
}

pub fn series(of: Kind) -> Kind {
    Kind::Series(Box::new(of))
}

fn number(name: &str, default: &str) -> Field {
    let mut field = Field::new(name, Kind::Number(Number::F32));
    field.default = Some(default.to_string());
    field
}

/// A ship, with mounts keyed by their markers.
pub fn ship() -> Class {
    let mut class = Class::new("ship");
    let mut hull = number("hull", "100");
    (hull.range, hull.unit, hull.help) = (Some((0.0, 1e6)), "t".to_string(), "How much it can take.".to_string());
    class.records[0].fields = vec![
        hull,
        Field::new("name", Kind::StringId),
        Field::new("size", Kind::Choice(["small", "large"].map(Named::new).to_vec())),
        Field::new("traits", Kind::Flags(["fast", "armed"].map(Named::new).to_vec())),
        Field::new("mounts", series(Kind::Record(1))),
        Field::new("escort", Kind::Reference("ship".to_string())),
        Field::new("pixels", Kind::Bulk),
        Field::new("nose", Kind::Vector(3)),
        Field::new("speed", Kind::Formula),
        Field::new("shield", Kind::Optional(Box::new(Kind::Number(Number::F32)))),
    ];
    let mount = vec![
        Field::new("marker", Kind::StringId),
        Field::new("weapon", Kind::Reference("weapon".to_string())),
        number("delay", "0.5"),
    ];
    class.records.push(Record { name: "mount".to_string(), fields: mount, key: Some(0), ..Record::default() });
    class.finish().expect("the declaration is valid")
}

pub fn weapon() -> Class {
    let mut class = Class::new("weapon");
    let mut damage = number("damage", "10");
    damage.range = Some((0.0, 1000.0));
    class.records[0].fields = vec![
        damage,
        Field::new("name", Kind::Text),
        Field::new("turn", Kind::Angle),
        Field::new("numbers", series(Kind::Number(Number::F64))),
    ];
    class.finish().expect("the declaration is valid")
}
