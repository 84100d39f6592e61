//! The language server: diagnostics, hover, completion, navigation, rename and formatting for headers and tags.
//!
//! It is a state machine without I/O: messages go in, messages come out, and long work is done in pieces between them.
//! [`main_loop`] drives it.
//!
//! Laws
//! 1. Every request gets one response; an invalid one gets an error that says what was expected.
//! 2. No message and no file makes it panic or use memory without a limit ([`limits`]).
//! 3. Files are only read. Changes are sent to the editor as edits.
//! 4. An open document takes precedence over the file on disk.

pub mod limits;

pub mod message;
pub mod position;

pub mod files;
pub mod uri;

pub mod cursor;

pub mod near;

pub mod index;
pub mod shapes;

pub mod header_class;

pub mod open_document;

pub mod view;

pub mod meanings;

pub mod diagnostics;
pub mod markdown;

pub mod symbols;

pub mod completion;
pub mod field_uses;
pub mod formatting;
pub mod hover;
pub mod navigation;
pub mod rename_refusal;

pub mod rename;

mod capabilities;
mod workspace;

pub mod transport;

pub mod main_loop;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as _, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{
    Completion, DocumentSymbolRequest, Formatting, GotoDefinition, HoverRequest, Initialize, PrepareRenameRequest,
    References, Rename, Request as _, Shutdown, WorkspaceSymbolRequest,
};
use lsp_types::{
    CompletionList, CompletionParams, Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentFormattingParams, DocumentSymbolParams, DocumentSymbolResponse,
    GotoDefinitionParams, GotoDefinitionResponse, HoverParams, InitializeParams, MessageType, Position,
    PublishDiagnosticsParams, ReferenceParams, RenameParams, ShowMessageParams, TextDocumentPositionParams, Uri,
    WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use serde_json::Value;
use tags::Class;
use tags::pack::Vocabulary;

use capabilities::Client;
use files::Files;
use limits::{DOCUMENTS_MAX, SYMBOLS_MAX, TEXT_BYTES_MAX};
use message::{ErrorCode, Message};
use open_document::OpenDocument;
use uri::path_of;
use view::{View, WorkspaceView};
use workspace::Workspaces;

/// What the embedding program contributes.
#[derive(Clone, Debug, Default)]
pub struct ServerSetup {
    /// The classes it declares in Rust.
    pub classes: Vec<Class>,
    /// What scripts in its tags may say, besides the vocabulary of the script machine.
    pub vocabulary: Vocabulary,
}

/// A language server.
pub struct Server {
    files: Box<dyn Files>,
    vocabulary: Vocabulary,
    stage: Stage,
    client: Client,
    homes: Workspaces,
    /// By URI.
    documents: BTreeMap<String, OpenDocument>,
    /// The URIs of open documents by their paths.
    addresses: BTreeMap<String, String>,
    /// Changed documents that are not indexed yet.
    changed: BTreeSet<String>,
    /// Documents whose diagnostics are due.
    due: BTreeSet<String>,
    /// What a person is told behind the answer to a request.
    remarks: Vec<Message>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Waiting,
    Running,
    ShutDown,
    Over { is_proper: bool },
}

/// Why a request failed.
#[derive(Debug)]
struct Failure {
    code: ErrorCode,
    message: String,
}

impl Failure {
    fn new(code: ErrorCode, message: impl Into<String>) -> Failure {
        Failure { code, message: message.into() }
    }
}

type Reply = Result<Value, Failure>;

impl Server {
    /// A server that waits for `initialize`.
    pub fn new(files: impl Files + 'static, given: ServerSetup) -> Server {
        Server {
            files: Box::new(files),
            stage: Stage::Waiting,
            client: Client::default(),
            vocabulary: given.vocabulary,
            homes: Workspaces::new(given.classes, given.vocabulary),
            documents: BTreeMap::new(),
            addresses: BTreeMap::new(),
            changed: BTreeSet::new(),
            due: BTreeSet::new(),
            remarks: Vec::new(),
        }
    }

    /// Handles a message, and returns the messages to send.
    pub fn handle(&mut self, message: Message) -> Vec<Message> {
        match message {
            Message::Request { id, method, params } => {
                let answer = match self.request(&method, params) {
                    Ok(value) => Message::Response { id, result: Ok(value) },
                    Err(failure) => Message::failure(id, failure.code, failure.message),
                };
                [answer].into_iter().chain(self.remarks.drain(..)).collect()
            }
            Message::Notification { method, params } => self.notification(&method, params),
            // The only request to the client is to watch files; if it is refused, folders are listed again when needed.
            Message::Response { result, .. } => {
                if result.is_err() {
                    self.client.watches = false;
                }
                Vec::new()
            }
        }
    }

    /// Does a piece of background work, and returns the messages to send.
    pub fn poll(&mut self) -> Vec<Message> {
        self.take_changes();
        let files = &*self.files;
        if self.homes.step_to_listed(files) {
            self.learn();
            return Vec::new();
        }
        if let Some(uri) = self.due.pop_first() {
            return self.diagnostics(&uri).into_iter().collect();
        }
        self.homes.step(files);
        self.learn();
        Vec::new()
    }

    /// Whether there is no background work left.
    pub fn is_idle(&self) -> bool {
        self.changed.is_empty() && self.due.is_empty() && self.homes.is_complete()
    }

    /// Whether `shutdown` was received.
    pub fn is_shut_down(&self) -> bool {
        matches!(self.stage, Stage::ShutDown | Stage::Over { is_proper: true })
    }

    /// Whether `exit` was received.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over { .. })
    }

    fn request(&mut self, method: &str, params: Value) -> Reply {
        match (self.stage, method) {
            (Stage::Waiting, Initialize::METHOD) => return self.initialize(asked::<Initialize>(params)?),
            (Stage::Waiting, _) => {
                return Err(Failure::new(ErrorCode::ServerNotInitialized, "expected `initialize` first"));
            }
            (Stage::Running, Initialize::METHOD) => {
                return Err(Failure::new(ErrorCode::InvalidRequest, "`initialize` was already received"));
            }
            (Stage::Running, _) => {}
            (Stage::ShutDown | Stage::Over { .. }, _) => {
                return Err(Failure::new(ErrorCode::InvalidRequest, "expected `exit` after `shutdown`"));
            }
        }
        match method {
            Shutdown::METHOD => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            Completion::METHOD => self.completion(asked::<Completion>(params)?),
            HoverRequest::METHOD => self.hover(asked::<HoverRequest>(params)?),
            GotoDefinition::METHOD => self.definition(asked::<GotoDefinition>(params)?),
            References::METHOD => self.references(asked::<References>(params)?),
            PrepareRenameRequest::METHOD => self.prepare_rename(asked::<PrepareRenameRequest>(params)?),
            Rename::METHOD => self.rename(asked::<Rename>(params)?),
            Formatting::METHOD => self.formatting(asked::<Formatting>(params)?),
            DocumentSymbolRequest::METHOD => self.document_symbols(asked::<DocumentSymbolRequest>(params)?),
            WorkspaceSymbolRequest::METHOD => self.workspace_symbols(asked::<WorkspaceSymbolRequest>(params)?),
            _ => Err(Failure::new(ErrorCode::MethodNotFound, format!("`{method}` is not supported"))),
        }
    }

    fn initialize(&mut self, params: InitializeParams) -> Reply {
        self.client = Client::of(&params);
        self.homes.set_folders(capabilities::folders(&params));
        self.stage = Stage::Running;
        answer::<Initialize>(capabilities::result(self.client.encoding))
    }

    fn completion(&mut self, params: CompletionParams) -> Reply {
        let has_snippets = self.client.has_snippets;
        let offers =
            self.at(&params.text_document_position, |view, byte| completion::complete(view, byte, has_snippets))?;
        answer::<Completion>(Some(CompletionList { is_incomplete: offers.is_cut, items: offers.items }.into()))
    }

    fn hover(&mut self, params: HoverParams) -> Reply {
        answer::<HoverRequest>(self.at(&params.text_document_position_params, hover::hover)?)
    }

    fn definition(&mut self, params: GotoDefinitionParams) -> Reply {
        let found = self.at(&params.text_document_position_params, navigation::definitions)?;
        answer::<GotoDefinition>(Some(GotoDefinitionResponse::Array(found)))
    }

    fn references(&mut self, params: ReferenceParams) -> Reply {
        self.know_all(&params.text_document_position.text_document.uri);
        let includes = params.context.include_declaration;
        let found =
            self.at(&params.text_document_position, |view, byte| navigation::references(view, byte, includes))?;
        answer::<References>(Some(found))
    }

    fn prepare_rename(&mut self, params: TextDocumentPositionParams) -> Reply {
        let prepared = self.at(&params, rename::prepare)?;
        Ok(prepared.unwrap_or(Value::Null))
    }

    fn rename(&mut self, params: RenameParams) -> Reply {
        self.know_all(&params.text_document_position.text_document.uri);
        let abilities = self.client.abilities;
        let renamed = self
            .at(&params.text_document_position, |view, byte| rename::rename(view, byte, &params.new_name, abilities))?;
        let renamed = renamed.map_err(|refusal| Failure::new(ErrorCode::RequestFailed, refusal.to_string()))?;
        self.remarks.extend(remark(&renamed.staying));
        answer::<Rename>(Some(renamed.edit))
    }

    fn formatting(&mut self, params: DocumentFormattingParams) -> Reply {
        answer::<Formatting>(Some(self.with(&params.text_document.uri, formatting::edits)?))
    }

    fn document_symbols(&mut self, params: DocumentSymbolParams) -> Reply {
        let found = self.with(&params.text_document.uri, symbols::of_document)?;
        answer::<DocumentSymbolRequest>(Some(DocumentSymbolResponse::Nested(found)))
    }

    fn workspace_symbols(&mut self, params: WorkspaceSymbolParams) -> Reply {
        self.take_changes();
        for root in self.homes.deep() {
            self.homes.list(&*self.files, &root, !self.client.watches);
        }
        self.learn();
        let mut found = Vec::new();
        for root in self.homes.deep() {
            let left = SYMBOLS_MAX.saturating_sub(found.len());
            let of_tree =
                self.around(&root, &|path| self.text_at(path), |around| symbols::of_tree(&around, &params.query));
            found.extend(of_tree.into_iter().take(left));
        }
        answer::<WorkspaceSymbolRequest>(Some(WorkspaceSymbolResponse::Flat(found)))
    }

    fn notification(&mut self, method: &str, params: Value) -> Vec<Message> {
        if method == "exit" {
            self.stage = Stage::Over { is_proper: self.stage == Stage::ShutDown };
            return Vec::new();
        }
        if self.stage != Stage::Running {
            return Vec::new();
        }
        match method {
            "initialized" if self.client.watches => return vec![capabilities::watch()],
            DidOpenTextDocument::METHOD => {
                if let Some(params) = told::<DidOpenTextDocument>(params) {
                    self.open(params);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(params) = told::<DidChangeTextDocument>(params) {
                    self.change(params);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(params) = told::<DidCloseTextDocument>(params) {
                    return self.close(params);
                }
            }
            DidSaveTextDocument::METHOD => {
                if let Some(params) = told::<DidSaveTextDocument>(params) {
                    self.touch(&params.text_document.uri);
                }
            }
            DidChangeWatchedFiles::METHOD => {
                let params = told::<DidChangeWatchedFiles>(params);
                params.iter().flat_map(|params| &params.changes).for_each(|change| self.touch(&change.uri));
            }
            DidChangeWorkspaceFolders::METHOD => {
                if let Some(params) = told::<DidChangeWorkspaceFolders>(params) {
                    self.homes.change_folders(&params.event);
                    self.changed.extend(self.documents.keys().cloned());
                    self.due.extend(self.documents.keys().cloned());
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let key = item.uri.as_str().to_string();
        if item.text.len() > TEXT_BYTES_MAX || self.documents.len() >= DOCUMENTS_MAX {
            return;
        }
        let document =
            OpenDocument::new(item.uri, item.text, self.client.encoding).opened(item.version, &item.language_id);
        if !document.path.is_empty() {
            self.addresses.insert(document.path.clone(), key.clone());
        }
        self.documents.insert(key.clone(), document);
        self.changed.insert(key.clone());
        self.due.insert(key);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let key = params.text_document.uri.as_str().to_string();
        let Some(document) = self.documents.get_mut(&key) else { return };
        document.version = Some(params.text_document.version);
        params.content_changes.into_iter().for_each(|change| document.change(change));
        self.changed.insert(key.clone());
        self.due.insert(key);
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) -> Vec<Message> {
        let key = params.text_document.uri.as_str();
        let Some(document) = self.documents.remove(key) else { return Vec::new() };
        self.changed.remove(key);
        self.due.remove(key);
        self.addresses.remove(&document.path);
        self.homes.close(&*self.files, &document.path);
        self.learn();
        vec![published(document.uri, None, Vec::new())]
    }

    /// A file may have changed on disk.
    fn touch(&mut self, uri: &Uri) {
        if let Some(path) = path_of(uri.as_str()) {
            self.homes.touch(&*self.files, &path);
            self.learn();
        }
    }

    /// The diagnostics of a document, as a message.
    fn diagnostics(&mut self, uri: &str) -> Option<Message> {
        let document = self.documents.get(uri)?;
        let (uri, version) = (document.uri.clone(), document.version);
        let found = self.with(&uri, diagnostics::diagnose).ok()?;
        Some(published(uri, version, found))
    }

    /// Indexes the texts of changed documents.
    fn take_changes(&mut self) {
        for uri in std::mem::take(&mut self.changed) {
            if let Some(document) = self.documents.get(&uri) {
                self.homes.open(&document.path, &document.text);
            }
        }
        self.learn();
    }

    /// Takes note of new, changed and removed classes. Then the diagnostics of all open documents may change.
    fn learn(&mut self) {
        let (homes, documents, addresses, files) = (&mut self.homes, &self.documents, &self.addresses, &*self.files);
        let text = |path: &str| match addresses.get(path).and_then(|uri| documents.get(uri)) {
            Some(document) => Some(document.text.clone()),
            None => files.read(path),
        };
        if homes.learn(&text) {
            self.due.extend(self.documents.keys().cloned());
        }
    }

    /// Completes the index of a document's workspace: every file is read.
    fn know_all(&mut self, uri: &Uri) {
        self.take_changes();
        let root = self.homes.root_of(&path_of(uri.as_str()).unwrap_or_default());
        if !self.client.watches {
            self.homes.list(&*self.files, &root, true);
        }
        self.homes.read(&*self.files, &root);
        self.learn();
    }

    /// Runs a query at a position.
    fn at<T>(
        &mut self,
        place: &TextDocumentPositionParams,
        ask: impl FnOnce(&View<'_>, u32) -> T,
    ) -> Result<T, Failure> {
        let byte = |document: &OpenDocument, position: Position| document.byte(position) as u32;
        self.with(&place.text_document.uri, |view| ask(view, byte(view.document, place.position)))
    }

    /// Runs a query on a document.
    fn with<T>(&mut self, uri: &Uri, ask: impl FnOnce(&View<'_>) -> T) -> Result<T, Failure> {
        self.take_changes();
        let path = path_of(uri.as_str()).unwrap_or_default();
        let root = self.homes.root_of(&path);
        self.homes.list(&*self.files, &root, false);
        self.learn();
        let from_disk;
        let document = match self.documents.get(uri.as_str()) {
            Some(document) => document,
            None => {
                from_disk = self.text_at(&path).ok_or_else(|| {
                    Failure::new(ErrorCode::InvalidParams, format!("`{}` is neither open nor a file", uri.as_str()))
                })?;
                &from_disk
            }
        };
        Ok(self.around(&root, &|path| self.text_at(path), |around| ask(&View::new(document, around))))
    }

    fn around<T>(
        &self,
        root: &str,
        texts: &dyn Fn(&str) -> Option<OpenDocument>,
        ask: impl FnOnce(WorkspaceView<'_>) -> T,
    ) -> T {
        let (index, shapes) = self.homes.get(root);
        ask(WorkspaceView { index, shapes, vocabulary: self.vocabulary, files: &*self.files, texts })
    }

    /// The text at a path; an open document takes precedence.
    fn text_at(&self, path: &str) -> Option<OpenDocument> {
        if let Some(open) = self.addresses.get(path).and_then(|uri| self.documents.get(uri)) {
            return Some(open.clone());
        }
        let text = self.files.read(path)?;
        Some(OpenDocument::new(uri::uri_of(path)?, text, self.client.encoding))
    }
}

/// The parameters of a request, or an error.
fn asked<R: lsp_types::request::Request>(params: Value) -> Result<R::Params, Failure> {
    let wrong = |wrong| Failure::new(ErrorCode::InvalidParams, format!("the parameters of `{}`: {wrong}", R::METHOD));
    serde_json::from_value(params).map_err(wrong)
}

/// The parameters of a notification. Invalid ones cannot be answered, and are ignored.
fn told<N: lsp_types::notification::Notification>(params: Value) -> Option<N::Params> {
    serde_json::from_value(params).ok()
}

/// The result of a request.
fn answer<R: lsp_types::request::Request>(result: R::Result) -> Reply {
    let wrong = |wrong| Failure::new(ErrorCode::InternalError, format!("the answer to `{}`: {wrong}", R::METHOD));
    serde_json::to_value(result).map_err(wrong)
}

/// What a rename leaves as it is, as a message.
fn remark(staying: &[String]) -> Option<Message> {
    const SHOWN_MAX: usize = 20;
    let first = staying.get(..SHOWN_MAX).unwrap_or(staying).join("\n");
    let more = match staying.len().saturating_sub(SHOWN_MAX) {
        0 => String::new(),
        more => format!("\nand {more} more"),
    };
    let message = format!("these places may mean something else, and keep the old name:\n{first}{more}");
    let params = ShowMessageParams { typ: MessageType::WARNING, message };
    let params = serde_json::to_value(params).unwrap_or(Value::Null);
    (!staying.is_empty()).then(|| Message::Notification { method: ShowMessage::METHOD.to_string(), params })
}

/// The diagnostics of a document, as a message.
fn published(uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) -> Message {
    let params = PublishDiagnosticsParams { uri, diagnostics, version };
    let params = serde_json::to_value(params).unwrap_or(Value::Null);
    Message::Notification { method: PublishDiagnostics::METHOD.to_string(), params }
}
