//! The manual page of a class.

use forge::manual::{ShownFields, page};
use script::parse::parse;
use tags::Tag;
use tags::class::{Class, Field, Kind, Record};
use tags::header::read;

const SHIP: &str = "@EnvironmentHeader
!set Namespace   \"ship\"
!set Version     2
!set Help        [\"What flies\", \"& <burns>.\"]
!set Recoverable false
!set Reads       [\"model\"]
!set Attributes  [
    { name \"mass\", type \"f32\", default 1200, range [0.1, 1000000], step 0.1, unit \"t\", help \"What it weighs.\" },
    { name \"size\", type \"choice\", names [\"small\", { name \"large\", help \"Not small.\", former \"big\" }], default \"small\" },
    { name \"weapons\", type \"list of record weapon\" },
    { name \"spare\", type \"record weapon or nothing\" },
    { name \"model\", type \"@model\", expert true, read_only true },
    { name \"secret\", type \"truth\", hidden true },
    { name \"OnDamage\", type \"Lambda(number, number)\", help \"Use `a | b` or `a < b`.\" },
    { name \"speed\", type \"formula\", unit \"m/s\", state true, replicated true,
      former [\"pace\", { name \"speed\", before 2, convert Lambda(old, old / 3.6) }] },
    { name \"numbers\", type \"list of u8\", runtime true }
]
!set Records [
    { name \"weapon\", help \"What is mounted where.\", fields [{ name \"marker\", type \"string id\", key true }] }
]
";

const PAGE: &str = "# ship

What flies &amp; &lt;burns>.

Files of this class begin with `@ship 2` and end in `.ship`. Changing one restarts the level. Their postprocess reads tags of: `model`. Declared in `ship.header`.

| field | what it holds | range | default | |
|---|---|---|---|---|
| `mass` | a number, in t, in steps of 0.1 | 0.1 to 1000000 | `1200` | What it weighs. |
| `size` | one of the names below |  | `\"small\"` |  |
| `weapons` | a list of records: [weapon](#weapon) |  |  |  |
| `spare` | a record: [weapon](#weapon), or nothing |  |  |  |
| `model` | the path of a `model` in quotes |  |  | Not to be changed by hand. For experts. |
| `OnDamage` | a lambda, `Lambda(number, number)` |  |  | Use `a \\| b` or `a < b`. |
| `speed` | a number, or a lambda that gives one, in m/s |  |  | Each object has its own copy, initialised from the tag. Replicated to other machines. |
| `numbers` | a list, each a whole number |  |  | Not in the text, filled in when the tag is loaded. |

Names of `size`:

- `\"small\"`
- `\"large\"`: Not small. (formerly `\"big\"`)

`speed` was named `pace`.

`speed` had another meaning before version 2; old values are converted by `Lambda(old, old / 3.6)`.

## weapon

What is mounted where.

| field | what it holds | range | default | |
|---|---|---|---|---|
| `marker` | a name in quotes |  |  | Key of its series. |
";

#[test]
fn a_page_contains_the_whole_table() {
    let (class, reports) = read(SHIP, &parse(SHIP), "ship.header");
    assert_eq!(reports, []);
    let class = class.expect("it has a name");
    assert_eq!(page(&class, ShownFields::Visible), PAGE);
    assert!(page(&class, ShownFields::All).contains("| `secret` | true or false |  |  | Hidden. |\n"));
}

#[test]
fn help_texts_cannot_break_the_page() {
    let mut class = Class::new("thing");
    let mut field = Field::new("a", Kind::Record(1));
    field.help = "one `\n\n# two | <b>\u{1b}".into();
    field.default = Some("\"``\"".into());
    field.unit = "<i>".into();
    class.records[0].fields.push(field);
    class.records.push(Record { name: "x".into(), ..Record::default() });
    class.records.push(Record { name: "x".into(), ..Record::default() });
    class.records.push(Record::default());
    let text = page(&class.finish().expect("it has a layout"), ShownFields::Visible);
    let row = "| `a` | a record: [x 1](#x-1), in &lt;i> |  | ``` \"``\" ``` | one `  # two \\| &lt;b> |\n";
    assert!(text.contains(row), "{text}");
    assert!(text.ends_with("## record 3\n\nIt has no fields.\n"), "{text}");
}

#[test]
fn the_page_names_the_bases_of_a_class() {
    #[derive(Tag)]
    #[tag(class = "object")]
    #[repr(C)]
    struct Object {
        #[tag(default = 1)]
        period: u32,
    }
    #[derive(Tag)]
    #[tag(class = "vessel")]
    #[repr(C)]
    struct Vessel {
        #[tag(base)]
        object: Object,
        #[tag(state)]
        hull: i32,
    }
    #[derive(Tag)]
    #[tag(class = "ship")]
    #[repr(C)]
    struct Ship {
        #[tag(base)]
        vessel: Vessel,
    }
    let page = page(&Ship::class(), ShownFields::Visible);
    assert!(page.contains("Derived from `vessel` and `object`, whose fields come first."), "{page}");
    assert!(page.contains("| `hull` | a whole number |  |  | Each object has its own copy"), "{page}");
}
