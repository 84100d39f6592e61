//! The capabilities exchanged at initialization.

use lsp_types::request::{RegisterCapability, Request as _};
use lsp_types::{
    CompletionOptions, HoverProviderCapability, InitializeParams, InitializeResult, OneOf, RenameOptions,
    ResourceOperationKind, SaveOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};
use serde_json::json;

use super::message::{Message, RequestId};
use super::position::Encoding;
use super::rename::Abilities;
use super::uri::path_of;

/// The capabilities of the client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Client {
    /// Its position encoding.
    pub encoding: Encoding,
    /// Whether it supports snippets.
    pub has_snippets: bool,
    /// Whether it reports changed files.
    pub watches: bool,
    /// The file operations it supports.
    pub abilities: Abilities,
}

impl Client {
    /// The capabilities that the client announces.
    pub fn of(params: &InitializeParams) -> Client {
        let general = params.capabilities.general.as_ref();
        let encodings = general.and_then(|general| general.position_encodings.as_deref()).unwrap_or(&[]);
        let document = params.capabilities.text_document.as_ref();
        let item = document.and_then(|document| document.completion.as_ref()?.completion_item.as_ref());
        let workspace = params.capabilities.workspace.as_ref();
        let watched = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        let edit = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
        let operations = edit.and_then(|edit| edit.resource_operations.as_deref()).unwrap_or(&[]);
        // A client that supports file operations supports the document changes they are mixed with.
        let changes_documents = edit.and_then(|edit| edit.document_changes) == Some(true) || !operations.is_empty();
        Client {
            encoding: Encoding::choose(encodings),
            has_snippets: item.and_then(|item| item.snippet_support) == Some(true),
            watches: watched.and_then(|watched| watched.dynamic_registration) == Some(true),
            abilities: Abilities {
                changes_documents,
                renames_files: operations.contains(&ResourceOperationKind::Rename),
            },
        }
    }
}

/// The workspace folders of the client.
#[expect(deprecated, reason = "older editors announce their folder only in this field")]
pub fn folders(params: &InitializeParams) -> Vec<String> {
    let folders = params.workspace_folders.as_deref().unwrap_or(&[]).iter();
    let mut paths: Vec<String> = folders.filter_map(|folder| path_of(folder.uri.as_str())).collect();
    if paths.is_empty() {
        paths.extend(params.root_uri.as_ref().and_then(|uri| path_of(uri.as_str())));
    }
    if paths.is_empty() {
        paths.extend(params.root_path.as_ref().map(|path| path.replace('\\', "/")));
    }
    paths
}

/// The capabilities of the server.
pub fn result(encoding: Encoding) -> InitializeResult {
    let letters = ["@", "!", "\"", "/", "\\", ".", "~"];
    let capabilities = ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
            ..TextDocumentSyncOptions::default()
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(letters.map(String::from).to_vec()),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..ServerCapabilities::default()
    };
    let version = Some(env!("CARGO_PKG_VERSION").to_string());
    InitializeResult { capabilities, server_info: Some(ServerInfo { name: "astrarium".to_string(), version }) }
}

/// Asks the client to report changed files.
pub fn watch() -> Message {
    let options = json!({ "watchers": [{ "globPattern": "**/*" }] });
    let registration =
        json!({ "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": options });
    let params = json!({ "registrations": [registration] });
    Message::Request {
        id: RequestId::Text(String::from("files")),
        method: RegisterCapability::METHOD.to_string(),
        params,
    }
}
