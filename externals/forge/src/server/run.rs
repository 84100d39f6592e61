//! The loop: messages in, messages out, and in between the work that nobody waits for.

use std::collections::{BTreeSet, VecDeque};
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread;

use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde_json::Value;

use super::Server;
use super::limits::WAITING_MAX;
use super::wire::{self, Heard};

/// The request that takes another back.
const CANCEL: &str = "$/cancelRequest";

/// Serves until the other side says `exit` or goes away. Whether it took its leave properly.
pub fn serve(server: Server, input: impl Read + Send + 'static, output: &mut dyn Write) -> io::Result<bool> {
    let (sender, receiver) = sync_channel(WAITING_MAX);
    // Reading has a thread of its own, so that a request can be taken back while it waits. It ends with its input.
    thread::Builder::new().name("messages".to_string()).spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            let heard = wire::read(&mut input).unwrap_or(Heard::End);
            let is_end = matches!(heard, Heard::End);
            if sender.send(heard).is_err() || is_end {
                return;
            }
        }
    })?;
    Loop { server, receiver, waiting: VecDeque::new(), cancelled: BTreeSet::new() }.run(output)
}

struct Loop {
    server: Server,
    receiver: Receiver<Heard>,
    waiting: VecDeque<Heard>,
    /// Requests that wait and were taken back.
    cancelled: BTreeSet<RequestId>,
}

impl Loop {
    fn run(mut self, output: &mut dyn Write) -> io::Result<bool> {
        loop {
            self.listen();
            let said = match self.waiting.pop_front() {
                Some(Heard::End) => return Ok(self.server.is_shut_down()),
                Some(Heard::Nonsense(answer)) => {
                    wire::write_value(output, &answer)?;
                    Vec::new()
                }
                Some(Heard::Message(message)) => self.answer(message),
                None => self.server.poll(),
            };
            for message in &said {
                wire::write(output, message)?;
            }
            if self.server.is_over() {
                return Ok(self.server.is_shut_down());
            }
        }
    }

    /// Takes in what has arrived; if there is nothing to do, waits for something.
    fn listen(&mut self) {
        if self.waiting.is_empty() && self.server.is_idle() {
            let heard = self.receiver.recv().unwrap_or(Heard::End);
            self.take(heard);
        }
        while self.waiting.len() < WAITING_MAX {
            match self.receiver.try_recv() {
                Ok(heard) => self.take(heard),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    if !matches!(self.waiting.back(), Some(Heard::End)) {
                        self.waiting.push_back(Heard::End);
                    }
                    return;
                }
            }
        }
    }

    fn take(&mut self, heard: Heard) {
        if let Heard::Message(Message::Notification(notification)) = &heard
            && notification.method == CANCEL
        {
            let id = notification.params.get("id").and_then(identifier);
            let waits = |heard: &Heard| match heard {
                Heard::Message(Message::Request(request)) => Some(&request.id) == id.as_ref(),
                _ => false,
            };
            if self.waiting.iter().any(waits) {
                self.cancelled.extend(id);
            }
            return;
        }
        self.waiting.push_back(heard);
    }

    fn answer(&mut self, message: Message) -> Vec<Message> {
        if let Message::Request(request) = &message
            && self.cancelled.remove(&request.id)
        {
            let code = ErrorCode::RequestCanceled as i32;
            return vec![Response::new_err(request.id.clone(), code, "it was taken back".to_string()).into()];
        }
        self.server.handle(message)
    }
}

fn identifier(value: &Value) -> Option<RequestId> {
    let number = value.as_i64().and_then(|number| i32::try_from(number).ok()).map(RequestId::from);
    number.or_else(|| value.as_str().map(|text| RequestId::from(text.to_string())))
}

#[cfg(test)]
mod tests {
    use lsp_server::{Notification, Request};
    use serde_json::json;

    use super::super::Given;
    use super::super::files::Memory;
    use super::*;

    fn request(id: i32, method: &str, params: Value) -> Heard {
        Heard::Message(Request { id: id.into(), method: method.to_string(), params }.into())
    }

    fn told(method: &str, params: Value) -> Heard {
        Heard::Message(Notification { method: method.to_string(), params }.into())
    }

    /// What is answered to what has arrived already: each id and its error's code, if it is one.
    fn answered(heard: Vec<Heard>) -> (Vec<(String, i64)>, bool) {
        let (sender, receiver) = sync_channel(heard.len());
        heard.into_iter().for_each(|heard| sender.send(heard).unwrap());
        drop(sender);
        let server = Server::new(Memory::default(), Given::default());
        let mut output = Vec::new();
        let all = Loop { server, receiver, waiting: VecDeque::new(), cancelled: BTreeSet::new() };
        let is_proper = all.run(&mut output).unwrap();
        let mut answers = Vec::new();
        let mut reader = output.as_slice();
        while let Heard::Message(message) = wire::read(&mut reader).unwrap() {
            if let Message::Response(response) = message {
                let code = response.response_result.map_or_else(|error| i64::from(error.code), |_| 0);
                answers.push((response.id.to_string(), code));
            }
        }
        (answers, is_proper)
    }

    #[test]
    fn a_request_that_was_taken_back_is_answered_so() {
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
    fn an_input_that_ends_ends_the_loop() {
        assert_eq!(answered(Vec::new()), (Vec::new(), false));
        let heard = vec![request(1, "initialize", json!({ "capabilities": {} })), request(2, "shutdown", Value::Null)];
        assert!(answered(heard).1);
    }
}
