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
