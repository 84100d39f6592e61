//! The main loop: handles messages, and does background work while there are none.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use super::Server;
use super::limits::{WAITING_BYTES_MAX, WAITING_MAX};
use super::message::{ErrorCode, Message, RequestId};
use super::transport::{self, Heard};

/// The notification that cancels a request.
const CANCEL: &str = "$/cancelRequest";

/// Serves until the client sends `exit` or closes the input. Returns whether it shut down properly.
pub fn serve(server: Server, input: impl Read + Send + 'static, output: &mut dyn Write) -> io::Result<bool> {
    let (sender, receiver) = sync_channel(WAITING_MAX);
    let room = Arc::new(Room::default());
    let ours = Arc::clone(&room);
    // A separate thread reads, so that a request can be cancelled while it waits. It ends with its input.
    thread::Builder::new().name("messages".to_string()).spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let (heard, bytes) = transport::read(&mut input).unwrap_or((Heard::End, 0));
            let is_end = matches!(heard, Heard::End);
            room.take(bytes);
            if sender.send((heard, bytes)).is_err() || is_end {
                return;
            }
        }
    })?;
    Loop { server, receiver, room: ours, waiting: VecDeque::new(), cancelled: BTreeSet::new() }.run(output)
}

/// The bytes of messages that were read and not handled.
#[derive(Default)]
struct Room {
    bytes: Mutex<usize>,
    freed: Condvar,
}

impl Room {
    /// Waits until the bytes fit, or nothing else waits.
    fn take(&self, bytes: usize) {
        let mut waiting = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        while *waiting > 0 && *waiting + bytes > WAITING_BYTES_MAX {
            waiting = self.freed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        *waiting += bytes;
    }

    fn give_back(&self, bytes: usize) {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= bytes;
        self.freed.notify_one();
    }
}

struct Loop {
    server: Server,
    receiver: Receiver<(Heard, usize)>,
    room: Arc<Room>,
    waiting: VecDeque<(Heard, usize)>,
    /// Cancelled requests that still wait.
    cancelled: BTreeSet<RequestId>,
}

impl Loop {
    fn run(mut self, output: &mut dyn Write) -> io::Result<bool> {
        loop {
            self.listen();
            let (heard, bytes) = self.waiting.pop_front().map_or((None, 0), |(heard, bytes)| (Some(heard), bytes));
            let said = match heard {
                Some(Heard::End) => return Ok(self.server.is_shut_down()),
                Some(Heard::Nonsense(answer)) => {
                    transport::write_value(output, &answer)?;
                    Vec::new()
                }
                Some(Heard::Message(message)) => self.answer(message),
                None => self.server.poll(),
            };
            self.room.give_back(bytes);
            for message in &said {
                transport::write(output, message)?;
            }
            if self.server.is_over() {
                return Ok(self.server.is_shut_down());
            }
        }
    }

    /// Receives messages; waits for one if there is no work.
    fn listen(&mut self) {
        if self.waiting.is_empty() && self.server.is_idle() {
            let (heard, bytes) = self.receiver.recv().unwrap_or((Heard::End, 0));
            self.take(heard, bytes);
        }
        while self.waiting.len() < WAITING_MAX {
            match self.receiver.try_recv() {
                Ok((heard, bytes)) => self.take(heard, bytes),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    if !matches!(self.waiting.back(), Some((Heard::End, _))) {
                        self.waiting.push_back((Heard::End, 0));
                    }
                    return;
                }
            }
        }
    }

    fn take(&mut self, heard: Heard, bytes: usize) {
        if let Heard::Message(Message::Notification { method, params }) = &heard
            && method == CANCEL
        {
            let cancelled = params.get("id").and_then(RequestId::of);
            let waits = |(heard, _): &(Heard, usize)| match heard {
                Heard::Message(Message::Request { id, .. }) => Some(id) == cancelled.as_ref(),
                _ => false,
            };
            if self.waiting.iter().any(waits) {
                self.cancelled.extend(cancelled);
            }
            self.room.give_back(bytes);
            return;
        }
        self.waiting.push_back((heard, bytes));
    }

    fn answer(&mut self, message: Message) -> Vec<Message> {
        if let Message::Request { id, .. } = &message
            && self.cancelled.remove(id)
        {
            return vec![Message::failure(id.clone(), ErrorCode::RequestCanceled, "cancelled by the client")];
        }
        self.server.handle(message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::ServerSetup;
    use super::super::files::Memory;
    use super::*;

    fn request(id: i32, method: &str, params: Value) -> Heard {
        Heard::Message(Message::Request { id: RequestId::Number(id), method: method.to_string(), params })
    }

    fn told(method: &str, params: Value) -> Heard {
        Heard::Message(Message::Notification { method: method.to_string(), params })
    }

    /// The responses to messages that have already arrived: each id, and the error code or 0.
    fn answered(heard: Vec<Heard>) -> (Vec<(String, i64)>, bool) {
        let (sender, receiver) = sync_channel(heard.len());
        heard.into_iter().for_each(|heard| sender.send((heard, 0)).unwrap());
        drop(sender);
        let server = Server::new(Memory::default(), ServerSetup::default());
        let mut output = Vec::new();
        let room = Arc::default();
        let all = Loop { server, receiver, room, waiting: VecDeque::new(), cancelled: BTreeSet::new() };
        let is_proper = all.run(&mut output).unwrap();
        let mut answers = Vec::new();
        let mut reader = output.as_slice();
        while let Heard::Message(message) = transport::read(&mut reader).unwrap().0 {
            if let Message::Response { id: RequestId::Number(id), result } = message {
                answers.push((id.to_string(), result.map_or_else(|error| error.code, |_| 0)));
            }
        }
        (answers, is_proper)
    }

    #[test]
    fn a_cancelled_request_is_answered_with_an_error() {
        let heard = vec![
            request(1, "initialize", json!({ "capabilities": {} })),
            request(2, "workspace/symbol", json!({ "query": "" })),
            request(3, "workspace/symbol", json!({ "query": "" })),
            told("$/cancelRequest", json!({ "id": 2 })),
            told("$/cancelRequest", json!({ "id": 77 })),
            told("$/cancelRequest", json!({ "id": [] })),
            request(4, "shutdown", Value::Null),
            told("exit", Value::Null),
        ];
        let answers = [("1", 0), ("2", -32800), ("3", 0), ("4", 0)].map(|(id, code)| (id.to_string(), code));
        assert_eq!(answered(heard), (answers.to_vec(), true));
    }

    #[test]
    fn the_end_of_the_input_ends_the_loop() {
        assert_eq!(answered(Vec::new()), (Vec::new(), false));
        let heard = vec![request(1, "initialize", json!({ "capabilities": {} })), request(2, "shutdown", Value::Null)];
        assert!(answered(heard).1);
    }
}
