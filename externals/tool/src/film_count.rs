//! `film count`: statistics over many films: which players' events there were, which objects were made and which ended, and where.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use astrarium::base::Vec3;
use astrarium::film::{Film, Moment, Player, Shown};
use astrarium::game::GameEntry;
use astrarium::relay::film::Kind;
use astrarium::relay::film::inputs::decode;
use astrarium::relay::limits::CONTENT_PLAYER;
use astrarium::session::Session;
use clap::{Arg, ArgMatches, Command, value_parser};
use host::thread_pool::ThreadPool;

use crate::arguments::{json, number, word};
use crate::error::{CommandError, Failure};
use crate::json::Json;
use crate::words::counted;

/// The smallest and the largest cell in which places are counted, in metres.
const CELL_METRES: (f32, f32) = (0.01, 1e6);

/// The arguments.
pub fn command() -> Command {
    Command::new("count")
        .about("Counts over films: players' events, objects made and ended by tag, and where they ended")
        .arg(Arg::new("FILES").required(true).num_args(1..).value_parser(value_parser!(PathBuf)).help("The films"))
        .arg(word("of", "TAG", "Only objects of this tag, or of tags in this folder, as in ships/"))
        .arg(
            word("cell", "METRES", "The edge of the cells in which places are counted")
                .default_value("10")
                .value_parser(value_parser!(f32)),
        )
        .arg(number("most", "The maximum number of rows of each table to print, at least 1", "20"))
        .arg(number("workers", "The number of workers", "1"))
        .arg(json())
}

/// An object that is there.
struct Living {
    tag: String,
    team: u32,
    since: u64,
    place: Vec3,
    is_seen: bool,
}

/// What was counted of the objects of a tag and a team.
#[derive(Default)]
struct TagCount {
    made: u64,
    ended: u64,
    /// The sum of the lives of those that ended, in seconds.
    seconds: f64,
}

/// What was counted.
#[derive(Default)]
struct Count {
    films: u64,
    cycles: u64,
    seconds: f64,
    events: BTreeMap<(String, u16), u64>,
    tags: BTreeMap<(String, u32), TagCount>,
    places: BTreeMap<(String, [i64; 3]), u64>,
    results: BTreeMap<(String, String), u64>,
}

/// Runs the command. A film that cannot be played to its end is reported, and fails the command after all others.
pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let cell = matches.get_one::<f32>("cell").copied().unwrap_or(10.0);
    if !(CELL_METRES.0..=CELL_METRES.1).contains(&cell) {
        let message = format!("--cell: expected {} to {} metres, found {cell}", CELL_METRES.0, CELL_METRES.1);
        return Err(CommandError::Usage(message).into());
    }
    let workers = matches.get_one::<u64>("workers").copied().unwrap_or(1).clamp(1, 256);
    let pool = ThreadPool::new(u32::try_from(workers).unwrap_or(1));
    let of = matches.get_one::<String>("of").map_or("", String::as_str);
    let most = matches.get_one::<u64>("most").map_or(20, |most| (*most).clamp(1, 1_000_000) as usize);
    let (mut count, mut failed) = (Count::default(), 0);
    for path in matches.get_many::<PathBuf>("FILES").into_iter().flatten() {
        if let Err(error) = count.add_film(path, games, (of, cell), &pool) {
            failed += 1;
            eprintln!("{error}");
        }
    }
    if matches.get_flag("json") {
        if failed == 0 {
            println!("{}", count.json(cell).finish());
        }
    } else {
        print!("{}", count.text(most, cell));
    }
    match failed {
        0 => Ok(()),
        failed => Err(Failure {
            message: format!("{} could not be counted to the end", counted(failed, "film")),
            found: count.json(cell),
        }),
    }
}

impl Count {
    fn add_film(
        &mut self,
        path: &Path,
        games: &[GameEntry],
        (of, cell): (&str, f32),
        pool: &ThreadPool,
    ) -> Result<(), CommandError> {
        let film = Film::open(path)?;
        let takes: Vec<(u16, u64, u64)> =
            film.index().takes.iter().map(|take| (take.number, take.start, take.last())).collect();
        let mut player = Player::new(film, games, Shown::Own)?;
        self.films += 1;
        for (take, start, last) in takes {
            player.seek(Moment { take: Some(take), cycle: Some(start) }, pool)?;
            self.add_events(&mut player, take)?;
            let mut living = BTreeMap::new();
            if let Some(session) = player.session() {
                note(&mut living, session, of, |_| {});
                self.begin(&living);
            }
            while player.place().1 < last {
                player.step(pool)?;
                // A level that begins anew, or the next one, is another take: its objects are no successors of these.
                let (at, _) = player.place();
                if at != take {
                    break;
                }
                let Some(session) = player.session() else { break };
                self.add_cycle(&mut living, session, of, cell);
            }
            if let Some(ending) = player.session().and_then(|session| session.last_ending()) {
                let level = player.session().map_or(String::new(), |session| session.level().to_string());
                *self.results.entry((level, ending.result)).or_default() += 1;
            }
        }
        Ok(())
    }

    /// The players' events of a take, from its inputs.
    fn add_events(&mut self, player: &mut Player, take: u16) -> Result<(), CommandError> {
        let film = player.film();
        let Some(opening) = film.opening(take) else { return Ok(()) };
        let brushes = opening.brushes_per_safe;
        let places: Vec<_> =
            film.index().of_kind(Kind::Inputs).filter(|place| place.head.take == take).copied().collect();
        let bodies = places.iter().map(|place| film.body(place)).collect::<Result<Vec<_>, _>>()?;
        let path = film.path().to_path_buf();
        let Some(session) = player.session() else { return Ok(()) };
        for (place, body) in places.iter().zip(&bodies) {
            let records = decode(body, &place.head.stamp, brushes).map_err(|error| {
                CommandError::Failed(format!("{}: its inputs cannot be read: {error}", path.display()))
            })?;
            for record in records {
                for (who, event) in record.inputs.events().iter().filter(|(who, _)| *who != CONTENT_PLAYER) {
                    let library = session.content().library();
                    let name = session.game().text_of(event.kind, library);
                    let name = name.map_or_else(|| event.kind.to_string(), str::to_string);
                    *self.events.entry((name, *who)).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    fn begin(&mut self, living: &BTreeMap<u32, Living>) {
        for object in living.values() {
            self.tags.entry((object.tag.clone(), object.team)).or_default().made += 1;
        }
    }

    fn add_cycle(&mut self, living: &mut BTreeMap<u32, Living>, session: &Session, of: &str, cell: f32) {
        let brush_seconds = f64::from(session.lengths().brush_seconds());
        self.cycles += 1;
        self.seconds += brush_seconds;
        note(living, session, of, |object| {
            self.tags.entry((object.tag.clone(), object.team)).or_default().made += 1;
        });
        let now = session.world().cycle();
        living.retain(|_, object| {
            if std::mem::take(&mut object.is_seen) {
                return true;
            }
            let row = self.tags.entry((object.tag.clone(), object.team)).or_default();
            row.ended += 1;
            row.seconds += now.saturating_sub(object.since) as f64 * brush_seconds;
            let place = [object.place.x, object.place.y, object.place.z].map(|number| (number / cell).floor() as i64);
            *self.places.entry((object.tag.clone(), place)).or_default() += 1;
            false
        });
    }

    /// The tables for people: the most frequent rows of each.
    fn text(&self, most: usize, cell: f32) -> String {
        let mut lines = vec![format!(
            "{}, {} cycles, {:.1} s of world time",
            counted(self.films as usize, "film"),
            self.cycles,
            self.seconds
        )];
        let mut results: Vec<_> = self.results.iter().collect();
        results.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        lines.extend(
            results.iter().take(most).map(|((level, result), count)| format!("ended    {count:>8}  {level}: {result}")),
        );
        let mut events: Vec<_> = self.events.iter().collect();
        events.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        lines.extend(
            events
                .iter()
                .take(most)
                .map(|((name, player), count)| format!("event    {count:>8}  {name}, player {player}")),
        );
        let mut tags: Vec<_> = self.tags.iter().collect();
        tags.sort_by_key(|(_, row)| std::cmp::Reverse(row.made));
        for ((tag, team), row) in tags.iter().take(most) {
            let life = match row.ended {
                0 => String::from("none ended"),
                ended => format!("{ended} ended, after {:.1} s on average", row.seconds / ended as f64),
            };
            lines.push(format!("objects  {:>8}  {tag}, team {team}: {life}", row.made));
        }
        let mut places: Vec<_> = self.places.iter().collect();
        places.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for ((tag, at), count) in places.iter().take(most) {
            let [x, y, z] = at.map(|number| number as f64 * f64::from(cell));
            lines.push(format!("ended at {count:>8}  {tag}: within {cell} m from vec({x}, {y}, {z})"));
        }
        let left_out: usize = [events.len(), tags.len(), places.len(), results.len()]
            .map(|length| length.saturating_sub(most))
            .iter()
            .sum();
        if left_out > 0 {
            lines.push(format!("and {} more: --most N prints N of each kind, --json all", counted(left_out, "row")));
        }
        lines.join("\n") + "\n"
    }

    fn json(&self, cell: f32) -> Json {
        let events = self.events.iter().map(|((name, player), count)| {
            Json::new().text("event", name).value("player", player).value("count", count)
        });
        let tags = self.tags.iter().map(|((tag, team), row)| {
            let json = Json::new().text("tag", tag).value("team", team).value("made", row.made);
            json.value("ended", row.ended).value("seconds", format_args!("{:.3}", row.seconds))
        });
        let places = self.places.iter().map(|((tag, at), count)| {
            let [x, y, z] = at.map(|number| number as f64 * f64::from(cell));
            Json::new().text("tag", tag).value("from", format_args!("[{x}, {y}, {z}]")).value("count", count)
        });
        let results = self.results.iter().map(|((level, result), count)| {
            Json::new().text("level", level).text("result", result).value("count", count)
        });
        Json::new()
            .value("films", self.films)
            .value("cycles", self.cycles)
            .value("seconds", format_args!("{:.3}", self.seconds))
            .value("cell", cell)
            .list("results", results)
            .list("events", events)
            .list("objects", tags)
            .list("places", places)
    }
}

/// Notes the objects that are there; `is_new` is called for those that were not.
fn note(living: &mut BTreeMap<u32, Living>, session: &Session, of: &str, mut is_new: impl FnMut(&Living)) {
    let Some(rules) = session.game().extensions().rules else { return };
    let (world, cycle) = (session.world(), session.world().cycle());
    for (handle, object) in rules.parts.objects.iterate(world) {
        if let Some(known) = living.get_mut(&handle.raw()) {
            (known.place, known.is_seen) = (object.position, true);
            continue;
        }
        let tag = rules.prototypes.get(object.mind.program).map_or("", |found| found.path.as_str());
        let is_meant = of.is_empty() || tag == of || of.ends_with('/') && tag.starts_with(of);
        if is_meant {
            let tag = tag.to_string();
            let found = Living { tag, team: object.team, since: cycle, place: object.position, is_seen: true };
            is_new(&found);
            living.insert(handle.raw(), found);
        }
    }
}
