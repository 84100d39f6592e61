use super::channel::{Channel, FEED};
use super::message::Message;
use super::*;
use crate::Shelf;
use crate::blocks::{BlockBudgets, BlockCache, BlockHandle, BlockKind};
use crate::containers::Containers;
use crate::hot_reload::TreeChanges;
use crate::limits::FRAME_BYTES_MAX;
use crate::load::{LoadLimits, Loaded};
use crate::testing::{Folder, Model, Ship, classes, put, put_texture};
use host::sockets::{Connection, Listener};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tags::Library;

/// How long a test waits for an expected event. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(20);

fn secret(text: &str) -> Secret {
    Secret::new(&format!("{text} and more of it")).expect("it is long enough")
}

fn load(folder: &Folder) -> Loaded {
    let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("the tree is there");
    shelf.load(&["a.ship"], &LoadLimits::default())
}

/// The containers of the tree, as the server has them.
fn containers(folder: &Folder) -> Arc<Containers> {
    let mut shelf = Shelf::open(&folder.join("tags"), classes()).expect("the tree is there");
    let _ = shelf.load(&["a.ship"], &LoadLimits::default());
    Arc::clone(shelf.containers())
}

/// The containers of a game on another machine.
fn received(folder: &Folder) -> Arc<Containers> {
    Arc::new(Containers::in_home(&folder.join("game/.astrarium")))
}

/// Applies what arrives until the library is as expected.
fn expect(client: &mut Client, library: &mut Library, what: &str, is_so: impl Fn(&Library) -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so(library) {
        assert!(Instant::now() < end, "timed out waiting for: {what}");
        let fed = client.poll();
        fed.bulk.into_iter().for_each(|(digest, bytes)| library.add_bulk(digest, bytes));
        library.apply(fed.ready);
        thread::yield_now();
    }
}

fn expect_trouble(poll: impl Fn() -> Vec<String>, what: &str) {
    let end = Instant::now() + PATIENCE;
    loop {
        let troubles = poll();
        if troubles.iter().any(|trouble| trouble.contains(what)) {
            return;
        }
        assert!(Instant::now() < end, "timed out waiting for: {what}");
        thread::yield_now();
    }
}

/// Two connected connections.
fn pair() -> (Connection, Connection) {
    let listener = Listener::open("127.0.0.1:0").expect("there is a free port");
    let caller = Connection::open(&listener.address().to_string(), PATIENCE).expect("the listener is open");
    let called = listener.accept(PATIENCE).expect("the listener is open").expect("a caller has connected");
    (caller, called)
}

fn lines() -> (Channel, Channel) {
    let (caller, called) = pair();
    let answering = thread::spawn(move || Channel::answer(called, FEED, &secret("one")));
    let caller = Channel::call(caller, FEED, &secret("one")).expect("both sides have the same secret");
    (caller, answering.join().expect("it does not panic").expect("both sides have the same secret"))
}

fn mass(library: &Library) -> Option<f32> {
    library.find::<Ship>("a.ship").map(|ship| ship.mass)
}

#[test]
fn a_game_receives_tags_that_differ_and_tags_that_change() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let mut library = load(&folder).library(classes());
    let hash = crate::content_key::of(b"pixels");
    let model = format!("@model\n!set radius 4\n!set pixels {{ file \"m.pixels\", bytes 6, hash \"{hash}\" }}\n");
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n!set model \"m.model\"\n"), ("tags/m.model", &model)]);
    put(&folder, &[("tags/m.pixels", "pixels")]);
    let loaded = load(&folder);
    let server =
        Server::open("127.0.0.1:0", secret("one"), &loaded, containers(&folder)).expect("there is a free port");
    let address = server.address().to_string();
    let mut client = Client::begin(&address, secret("one"), classes(), &library, received(&folder));
    expect(&mut client, &mut library, "the new mass", |library| mass(library) == Some(2.0));
    let found = |library: &Library| {
        let model = library.find::<Model>("m.model");
        model.is_some_and(|model| library.bulk(&model.pixels) == b"pixels" && model.radius == 4.0)
    };
    expect(&mut client, &mut library, "the new model", found);
    assert!(client.is_connected());
    assert_eq!(library.identity(), loaded.library(classes()).identity());
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 3\n")]);
    let ready = load(&folder).ready().collect();
    server.offer(&TreeChanges { ready, ..TreeChanges::default() });
    expect(&mut client, &mut library, "the next mass", |library| mass(library) == Some(3.0));
    assert_eq!(server.fed(), 1);
    assert!(server.take_troubles().is_empty());
}

#[test]
fn a_broken_connection_is_opened_again() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let first = load(&folder);
    let mut library = first.library(classes());
    let server = Server::open("127.0.0.1:0", secret("one"), &first, containers(&folder)).expect("there is a free port");
    let address = server.address().to_string();
    let mut client = Client::begin(&address, secret("one"), classes(), &library, received(&folder));
    let end = Instant::now() + PATIENCE;
    while !client.is_connected() {
        assert!(Instant::now() < end, "never connected");
        thread::yield_now();
    }
    drop(server);
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n")]);
    let second = load(&folder);
    // The port may still be taken for a moment.
    let server = loop {
        match Server::open(&address, secret("one"), &second, containers(&folder)) {
            Ok(server) => break server,
            Err(error) => assert!(Instant::now() < end, "{error}"),
        }
    };
    expect(&mut client, &mut library, "the new mass", |library| mass(library) == Some(2.0));
    drop(server);
}

#[test]
fn either_side_rejects_a_peer_that_does_not_know_the_secret() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let loaded = load(&folder);
    let server =
        Server::open("127.0.0.1:0", secret("one"), &loaded, containers(&folder)).expect("there is a free port");
    let address = server.address().to_string();
    let client = Client::begin(&address, secret("other"), classes(), &Library::new(), received(&folder));
    let client = std::cell::RefCell::new(client);
    expect_trouble(|| client.borrow_mut().poll().troubles, "does not know the secret");
    expect_trouble(|| server.take_troubles(), "does not know the secret");
    assert!(client.borrow_mut().poll().ready.is_empty());
    // A caller that sends arbitrary bytes.
    for noise in [&b"GET / HTTP/1.1\r\n\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"[..], b"ASTRFEED\x01\0\0\0", b""] {
        let mut connection = Connection::open(&address, PATIENCE).expect("the listener is open");
        connection.write_all(noise, PATIENCE).expect("the connection is open");
    }
    expect_trouble(|| server.take_troubles(), "does not speak this protocol");
}

#[test]
fn short_secrets_are_refused_and_new_ones_are_long() {
    assert!(Secret::new("").is_err());
    assert!(Secret::new("   too short    ").is_err());
    let new = new_secret().expect("this machine has random bytes");
    assert!(Secret::new(&new).is_ok(), "{new}");
    assert_ne!(new, new_secret().expect("this machine has random bytes"));
    assert_eq!(format!("{:?}", secret("one")), "Secret");
}

#[test]
fn messages_of_any_size_arrive_in_order() {
    let (mut caller, mut called) = lines();
    let sizes = [0, 1, FRAME_BYTES_MAX - 1, FRAME_BYTES_MAX, FRAME_BYTES_MAX + 1, 3 * FRAME_BYTES_MAX + 7, 5];
    let messages: Vec<Vec<u8>> = sizes.iter().enumerate().map(|(number, size)| vec![number as u8; *size]).collect();
    let sent = messages.clone();
    let sending = thread::spawn(move || {
        sent.iter().for_each(|message| caller.send(message).expect("the connection is open"));
        caller
    });
    for message in &messages {
        assert_eq!(called.receive(PATIENCE).expect("the connection is open").as_ref(), Some(message));
    }
    let mut caller = sending.join().expect("it does not panic");
    assert!(called.receive(Duration::from_millis(1)).expect("the connection is open").is_none());
    called.send(b"back").expect("the connection is open");
    assert_eq!(caller.receive(PATIENCE).expect("the connection is open").as_deref(), Some(&b"back"[..]));
}

/// Relays between a caller and a callee, and lets `change` alter what the caller sends.
fn between(change: impl Fn(usize, &mut Vec<u8>) + Send + 'static) -> (Channel, Channel) {
    let (caller, mut near) = pair();
    let (mut far, called) = pair();
    thread::spawn(move || {
        let mut twin = (near.twin().expect("the connection is open"), far.twin().expect("the connection is open"));
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = twin.1.read_some(&mut bytes, PATIENCE) {
                let _ = twin.0.write_all(&bytes[..read], PATIENCE);
            }
        });
        // The handshake, then frames of 4 + 4 + 32 bytes.
        for (number, length) in [44, 32].into_iter().chain(std::iter::repeat_n(40, 16)).enumerate() {
            let mut bytes = vec![0; length];
            if near.read_exactly(&mut bytes, PATIENCE).is_err() {
                far.close();
                return;
            }
            change(number, &mut bytes);
            if far.write_all(&bytes, PATIENCE).is_err() {
                return;
            }
        }
    });
    let answering = thread::spawn(move || Channel::answer(called, FEED, &secret("one")));
    let caller = Channel::call(caller, FEED, &secret("one")).expect("both sides have the same secret");
    (caller, answering.join().expect("it does not panic").expect("both sides have the same secret"))
}

#[test]
fn a_changed_repeated_or_swapped_frame_closes_the_connection() {
    // Nothing changed: three messages arrive.
    let (mut caller, mut called) = between(|_, _| {});
    for message in [b"one.", b"two.", b"tre."] {
        caller.send(message).expect("the connection is open");
        assert_eq!(called.receive(PATIENCE).expect("the connection is open").as_deref(), Some(&message[..]));
    }
    // Any byte of a frame changed. A changed length may also wait for more bytes, until the connection closes.
    for place in 0..40 {
        let (mut caller, mut called) = between(move |number, bytes| {
            if number == 2 {
                bytes[place] ^= 1;
            }
        });
        caller.send(b"one.").expect("the connection is open");
        drop(caller);
        assert!(called.receive(PATIENCE).is_err(), "byte {place}");
    }
    // The first frame again in place of the second.
    let first = std::sync::Mutex::new(Vec::new());
    let (mut caller, mut called) = between(move |number, bytes| match number {
        2 => *first.lock().expect("no thread panics") = bytes.clone(),
        3 => *bytes = first.lock().expect("no thread panics").clone(),
        _ => {}
    });
    caller.send(b"one.").expect("the connection is open");
    caller.send(b"two.").expect("the connection is open");
    assert_eq!(called.receive(PATIENCE).expect("the connection is open").as_deref(), Some(&b"one."[..]));
    assert!(called.receive(PATIENCE).is_err());
}

#[test]
fn received_tags_are_validated_against_the_classes_of_the_game() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let loaded = load(&folder);
    let listener = Listener::open("127.0.0.1:0").expect("there is a free port");
    let library = loaded.library(classes());
    let mut client =
        Client::begin(&listener.address().to_string(), secret("one"), classes(), &library, received(&folder));
    let connection = listener.accept(PATIENCE).expect("the listener is open").expect("the game calls");
    let mut line = Channel::answer(connection, FEED, &secret("one")).expect("both sides have the same secret");
    assert!(line.receive(PATIENCE).expect("the connection is open").is_some());
    let packed = loaded.tags["a.ship"].packed.bytes();
    let mut damaged = packed.to_vec();
    damaged[100] ^= 1;
    let key = crate::content_key::of(b"another");
    for (path, packed) in
        [("a.ship", &damaged[..]), ("a.ship", b""), ("a.model", packed), ("../a.ship", packed), ("a.x", packed)]
    {
        line.send(&Message::Tag { path, key, packed }.write()).expect("the connection is open");
    }
    line.send(&Message::Here.write()).expect("the connection is open");
    assert_eq!(line.receive(PATIENCE).expect("the connection is open"), Some(Message::Got(Vec::new()).write()));
    let fed = client.poll();
    assert!(fed.ready.is_empty());
    assert_eq!(fed.troubles.len(), 5, "{:?}", fed.troubles);
    line.send(b"\xff").expect("the connection is open");
    let client = std::cell::RefCell::new(client);
    expect_trouble(|| client.borrow_mut().poll().troubles, "does not understand");
}

/// Some bytes that do not compress.
fn noise(count: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 11) as u8
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn a_container_that_changes_here_is_read_by_blocks_there() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set model \"m.model\"\n")]);
    put_texture(&folder, "m", b"first");
    let loaded = load(&folder);
    let mut library = loaded.library(classes());
    let here = containers(&folder);
    let server = Server::open("127.0.0.1:0", secret("one"), &loaded, Arc::clone(&here)).expect("a port can be had");
    let there = received(&folder);
    let address = server.address().to_string();
    let mut client = Client::begin(&address, secret("one"), classes(), &library, Arc::clone(&there));
    let pixels = noise(3 * tags::bulk::BLOCK_BYTES + 100, 7);
    let digest = put_texture(&folder, "m", &pixels);
    let changed = load(&folder);
    changed.tags.iter().for_each(|(path, tag)| here.set_tag(path, &tag.packed));
    server.offer(&TreeChanges { ready: changed.ready().collect(), ..TreeChanges::default() });
    let cache = BlockCache::new(there, &BlockBudgets::default());
    let end = Instant::now() + PATIENCE;
    let mut troubles = Vec::new();
    let read = loop {
        assert!(Instant::now() < end, "never arrived: {troubles:?}");
        let fed = client.poll();
        library.apply(fed.ready);
        troubles.extend(fed.troubles);
        if !fed.containers.is_empty() {
            cache.retry_failed();
        }
        let model = library.find::<Model>("m.model").expect("the game has it");
        if model.texture.digest == digest.0 {
            let bulk = cache.open(&model.texture, BlockKind::Texture).expect("the field names something");
            if let Some(block) = cache.request(BlockHandle { bulk, block: 3 }, 0) {
                break block;
            }
        }
        thread::yield_now();
    };
    assert_eq!(read[..], pixels[3 * tags::bulk::BLOCK_BYTES..]);
    assert!(troubles.is_empty() && cache.take_troubles().is_empty(), "an absence that ends is no fault: {troubles:?}");
}

#[test]
fn tags_that_change_while_a_large_container_is_sent_do_not_wait_for_it() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n!set model \"m.model\"\n")]);
    let digest = put_texture(&folder, "m", &noise(40 * crate::limits::PIECE_BYTES, 3));
    let loaded = load(&folder);
    let server = Server::open("127.0.0.1:0", secret("one"), &loaded, containers(&folder)).expect("a port can be had");
    let connection = Connection::open(&server.address().to_string(), PATIENCE).expect("the listener is open");
    let mut line = Channel::call(connection, FEED, &secret("one")).expect("both sides have the same secret");
    let has = loaded.ready().map(|ready| (ready.path.id().number(), ready.key)).collect();
    line.send(&Message::Have(has).write()).expect("the connection is open");
    // The messages of a batch, by their kinds.
    let mut batch = |wanted: Vec<crate::content_key::Key>| {
        let mut kinds = String::new();
        loop {
            let message = line.receive(PATIENCE).expect("the connection is open").expect("it is in time");
            match Message::read(&message).expect("it is sound") {
                Message::Tag { .. } => kinds.push('t'),
                Message::Piece { digest: sent, bytes, .. } => {
                    assert!(sent == digest && bytes.len() <= crate::limits::PIECE_BYTES);
                    kinds.push('p');
                }
                Message::Here => break,
                other => panic!("{other:?}"),
            }
        }
        line.send(&Message::Got(wanted).write()).expect("the connection is open");
        kinds
    };
    assert_eq!(batch(vec![digest]), "");
    assert_eq!(batch(vec![]), "pppp");
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n!set model \"m.model\"\n")]);
    server.offer(&TreeChanges { ready: load(&folder).ready().collect(), ..TreeChanges::default() });
    // The batch that was on its way, then the tag before the next pieces.
    let batches = [batch(vec![]), batch(vec![])];
    assert!(batches.contains(&"tpppp".to_string()), "{batches:?}");
    let mut pieces = batches.concat().replace('t', "").len() + 4;
    while pieces < 40 {
        pieces += batch(vec![]).len();
    }
}

#[test]
fn a_container_that_the_server_lost_is_reported() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set model \"m.model\"\n")]);
    put_texture(&folder, "m", b"first");
    let loaded = load(&folder);
    let server = Server::open("127.0.0.1:0", secret("one"), &loaded, containers(&folder)).expect("a port can be had");
    std::fs::remove_file(folder.join("tags/m.model.bulk")).expect("it is ours");
    let library = loaded.library(classes());
    let address = server.address().to_string();
    let client = Client::begin(&address, secret("one"), classes(), &library, received(&folder));
    let client = std::cell::RefCell::new(client);
    expect_trouble(|| client.borrow_mut().poll().troubles, "the other machine does not have it");
}

#[test]
fn silent_strangers_do_not_keep_a_friend_out() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let mut library = load(&folder).library(classes());
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n")]);
    let server =
        Server::open("127.0.0.1:0", secret("one"), &load(&folder), containers(&folder)).expect("there is a free port");
    let address = server.address().to_string();
    // They fill every place, and take it again whenever one is turned out.
    let strangers: Vec<Connection> = (0..2 * crate::limits::STRANGERS_MAX)
        .map(|_| Connection::open(&address, PATIENCE).expect("it listens"))
        .collect();
    expect_trouble(|| server.take_troubles(), "turned out for another caller");
    let mut client = Client::begin(&address, secret("one"), classes(), &library, received(&folder));
    expect(&mut client, &mut library, "the new mass", |library| mass(library) == Some(2.0));
    drop(strangers);
}

#[test]
fn a_recorded_handshake_opens_nothing() {
    // The caller's half of a handshake, as somebody heard it on the network.
    let (caller, called) = pair();
    let (mut tap, tapped) = pair();
    let heard = thread::spawn(move || {
        // Between the two: passes on, and keeps what the caller says.
        let (mut caller_side, mut called_side) = (called, tapped);
        let (mut greeting, mut answer, mut proof) = ([0; 44], [0; 64], [0; 32]);
        caller_side.read_exactly(&mut greeting, PATIENCE).expect("it greets");
        called_side.write_all(&greeting, PATIENCE).expect("it listens");
        called_side.read_exactly(&mut answer, PATIENCE).expect("it answers");
        caller_side.write_all(&answer, PATIENCE).expect("it listens");
        caller_side.read_exactly(&mut proof, PATIENCE).expect("it proves");
        called_side.write_all(&proof, PATIENCE).expect("it listens");
        (greeting, proof)
    });
    let answering = thread::spawn(move || {
        let twin = tap.twin().expect("it is open");
        let answered = Channel::answer(twin, FEED, &secret("one"));
        tap.close();
        let _ = tap.write_all(&[0], PATIENCE);
        answered.map(drop)
    });
    Channel::call(caller, FEED, &secret("one")).expect("both sides have the same secret");
    answering.join().expect("it does not panic").expect("both sides have the same secret");
    let (greeting, proof) = heard.join().expect("it does not panic");
    // Said again to the same machine: its nonce is another one by now.
    let (mut again, called) = pair();
    let answering = thread::spawn(move || Channel::answer(called, FEED, &secret("one")).map(drop));
    again.write_all(&greeting, PATIENCE).expect("it listens");
    again.read_exactly(&mut [0; 64], PATIENCE).expect("it answers");
    again.write_all(&proof, PATIENCE).expect("it listens");
    assert!(answering.join().expect("it does not panic").is_err());
}

#[test]
fn a_longer_message_than_is_wanted_ends_the_connection_before_it_is_received() {
    for (bytes, is_taken) in [(64 << 10, true), ((64 << 10) + 1, false), (40 << 20, false)] {
        let (caller, called) = pair();
        let answering = thread::spawn(move || {
            let line = Channel::answer(called, FEED, &secret("one")).expect("both sides have the same secret");
            let mut line = line.with_messages_of(64 << 10);
            line.receive(PATIENCE).is_ok_and(|message| message.is_some_and(|message| message.len() == bytes))
        });
        let mut line = Channel::call(caller, FEED, &secret("one")).expect("both sides have the same secret");
        // The other side may have gone before all is sent.
        let _ = line.send(&vec![7; bytes]);
        assert_eq!(answering.join().expect("it does not panic"), is_taken, "{bytes} bytes");
    }
}

#[test]
fn a_server_that_knows_the_secret_cannot_fill_the_memory_of_a_game() {
    const PIECE: usize = 200 << 10;
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let loaded = load(&folder);
    let listener = Listener::open("127.0.0.1:0").expect("there is a free port");
    let address = listener.address().to_string();
    let library = loaded.library(classes());
    let mut client = Client::begin(&address, secret("one"), classes(), &library, received(&folder));
    let connection = listener.accept(PATIENCE).expect("the listener is open").expect("the game calls");
    let mut line = Channel::answer(connection, FEED, &secret("one")).expect("both sides have the same secret");
    assert!(line.receive(PATIENCE).expect("the connection is open").is_some());
    let flood = thread::spawn(move || {
        for seed in 1..=20 {
            line.send(&Message::Bulk(&noise(PIECE, seed)).write()).expect("the connection is open");
        }
        // The same tag again and again takes one place.
        let packed = loaded.tags["a.ship"].packed.bytes();
        for _ in 0..1000 {
            let key = crate::content_key::of(b"another");
            line.send(&Message::Tag { path: "a.ship", key, packed }.write()).expect("the connection is open");
        }
        line.send(&Message::Here.write()).expect("the connection is open");
        line.receive(PATIENCE).expect("the connection is open")
    });
    let (mut arrived, mut tags) = (0, 0);
    let end = Instant::now() + PATIENCE;
    while !flood.is_finished() {
        assert!(Instant::now() < end, "timed out waiting for the end of the flood");
        let fed = client.poll();
        let waited: usize = fed.bulk.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(waited <= crate::limits::FED_WAITING_BYTES_MAX + PIECE, "{waited}");
        assert!(fed.ready.len() <= 1);
        arrived += fed.bulk.len();
        tags += fed.ready.len();
        thread::yield_now();
    }
    assert_eq!(flood.join().expect("it does not panic"), Some(Message::Got(Vec::new()).write()));
    let rest = client.poll();
    assert_eq!(arrived + rest.bulk.len(), 20);
    assert!(tags + rest.ready.len() >= 1);
}

#[test]
fn a_game_that_knows_the_secret_but_talks_nonsense_disturbs_nobody() {
    let folder = Folder::new();
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 1\n")]);
    let mut library = load(&folder).library(classes());
    put(&folder, &[("tags/a.ship", "@ship\n!set mass 2\n")]);
    let server =
        Server::open("127.0.0.1:0", secret("one"), &load(&folder), containers(&folder)).expect("there is a free port");
    let address = server.address().to_string();
    let key = crate::content_key::of(b"no such container");
    let have = Message::Have(vec![(7, key); 1000]).write();
    for talk in [
        vec![b"\xff".to_vec()],
        vec![Vec::new()],
        vec![Message::Got(vec![key; 3]).write()],
        vec![have.clone(), noise(5000, 7)],
        vec![have.clone(), Message::Got(vec![key; 1 << 14]).write(), Message::Got(vec![key; 1 << 14]).write()],
        vec![have[..have.len() - 1].to_vec()],
    ] {
        let connection = Connection::open(&address, PATIENCE).expect("it listens");
        let mut line = Channel::call(connection, FEED, &secret("one")).expect("both sides have the same secret");
        // The server may close the connection at any word.
        let _ = talk.iter().try_for_each(|word| line.send(word));
    }
    let mut client = Client::begin(&address, secret("one"), classes(), &library, received(&folder));
    expect(&mut client, &mut library, "the new mass", |library| mass(library) == Some(2.0));
}
