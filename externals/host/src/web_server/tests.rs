use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

fn server(handler: impl Fn(&WebRequest) -> WebResponse + Send + Sync + 'static) -> WebServer {
    WebServer::start(&WebSettings::default(), Arc::new(handler)).expect("there is a free port")
}

fn ask(server: &WebServer, bytes: &[u8]) -> String {
    let mut connection = Connection::open(&server.address().to_string(), PATIENCE).expect("it listens");
    // It may have heard enough already.
    let _ = connection.write_all(bytes, PATIENCE);
    read_all(&mut connection)
}

fn read_all(connection: &mut Connection) -> String {
    let (mut all, mut some) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = connection.read_some(&mut some, PATIENCE) {
        all.extend_from_slice(&some[..read]);
    }
    String::from_utf8_lossy(&all).into_owned()
}

fn get(server: &WebServer, target: &str) -> String {
    ask(server, format!("GET {target} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address()).as_bytes())
}

#[test]
fn a_page_is_answered_with_its_type_and_length() {
    if cfg!(target_family = "wasm") {
        return;
    }
    let server = server(|request| match request.path.as_str() {
        "/" => WebResponse::bytes("application/json", format!("{:?}", request.value("x"))),
        "/panic" => panic!("a handler fails"),
        "/stuck" => WebResponse::unavailable("it stands still"),
        _ => WebResponse::not_found(),
    });
    let answer = get(&server, "/?x=7");
    let stuck = get(&server, "/stuck");
    assert!(stuck.starts_with("HTTP/1.1 503 ") && stuck.ends_with("it stands still\n"), "{stuck}");
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"),
        "{answer}"
    );
    assert!(answer.ends_with("\r\n\r\nSome(\"7\")"), "{answer}");
    assert!(get(&server, "/nothing").starts_with("HTTP/1.1 404 "));
    assert!(get(&server, "/panic").starts_with("HTTP/1.1 500 "));
    assert!(get(&server, "/").starts_with("HTTP/1.1 200 "), "it runs on");
    assert!(ask(&server, b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").starts_with("HTTP/1.1 403 "));
    assert!(ask(&server, b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n").contains("Allow: GET"));
}

#[test]
fn hostile_clients_are_answered_or_left() {
    if cfg!(target_family = "wasm") {
        return;
    }
    let server = server(|_| WebResponse::bytes("text/plain", "fine"));
    assert!(ask(&server, &[0xff; 100].repeat(200)).starts_with("HTTP/1.1 431 "));
    assert!(ask(&server, b"\0\r\n\r\n").starts_with("HTTP/1.1 400 "));
    // Half a request, and gone.
    let mut half = Connection::open(&server.address().to_string(), PATIENCE).expect("it listens");
    half.write_all(b"GET / HTTP/1.1\r\nHo", PATIENCE).expect("it is open");
    drop(half);
    assert!(get(&server, "/").ends_with("fine"));
}

#[test]
fn more_connections_than_allowed_are_sent_away() {
    if cfg!(target_family = "wasm") {
        return;
    }
    let feed = WebFeed::new();
    let answering = feed.clone();
    let server = server(move |_| WebResponse::feed(&answering));
    let open = || {
        let mut connection = Connection::open(&server.address().to_string(), PATIENCE).expect("it listens");
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
        connection.write_all(request.as_bytes(), PATIENCE).expect("it is open");
        let mut start = [0; 12];
        connection.read_exactly(&mut start, PATIENCE).expect("it answers");
        (connection, String::from_utf8_lossy(&start).into_owned())
    };
    let held: Vec<_> = (0..WEB_CONNECTIONS_MAX).map(|_| open()).collect();
    assert!(held.iter().all(|(_, start)| start == "HTTP/1.1 200"));
    assert_eq!(open().1, "HTTP/1.1 503");
}

#[test]
fn a_feed_reaches_its_browsers_and_ends_with_the_server() {
    if cfg!(target_family = "wasm") {
        return;
    }
    let feed = WebFeed::new();
    let answering = feed.clone();
    let server = server(move |_| WebResponse::feed(&answering));
    let mut connection = Connection::open(&server.address().to_string(), PATIENCE).expect("it listens");
    connection.write_all(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n", PATIENCE).expect("it is open");
    let (mut text, mut some) = (String::new(), [0; 1024]);
    // A browser hears what is sent after it was answered.
    while !text.contains("data: 2") {
        feed.send("cycle", "1\n2");
        let read = connection.read_some(&mut some, PATIENCE).expect("it is open");
        assert!(read > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&some[..read]));
    }
    assert!(
        text.contains("Content-Type: text/event-stream") && text.contains("event: cycle\ndata: 1\ndata: 2"),
        "{text}"
    );
    drop(server);
    read_all(&mut connection);
}

#[test]
fn an_address_in_use_is_an_error() {
    if cfg!(target_family = "wasm") {
        return;
    }
    let server = server(|_| WebResponse::not_found());
    let settings = WebSettings { address: server.address().to_string(), ..WebSettings::default() };
    let second = WebServer::start(&settings, Arc::new(|_: &WebRequest| WebResponse::not_found()));
    assert!(second.expect_err("the port is taken").to_string().contains("listening"));
}
