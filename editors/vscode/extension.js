// Starts `astrarium lsp` for all scripts, headers and tags.
//
// A file counts as a tag, whatever its extension, if it lies in a tree that has a `.astrarium` or a `tags` folder and its
// first line that is neither empty nor a comment begins with `@`. VS Code detects such files by their very first line where no
// other language claims their extension; the others are detected here.
'use strict';

const fs = require('fs');
const path = require('path');
const vscode = require('vscode');
const { LanguageClient, State, TransportKind } = require('vscode-languageclient/node');

const LANGUAGE = 'lscript';
// The most lines of comments that are looked through for the head of a tag.
const HEAD_LINES = 256;

/** @type {LanguageClient | undefined} */
let client;

/** Whether a folder, or one above it, is or holds the root of a tree. */
function isInTree(folder) {
  for (let depth = 0; depth < 64; depth += 1) {
    if (path.basename(folder) === 'tags') {
      return true;
    }
    if (['.astrarium', 'tags'].some((name) => fs.existsSync(path.join(folder, name)))) {
      return true;
    }
    const above = path.dirname(folder);
    if (above === folder) {
      return false;
    }
    folder = above;
  }
  return false;
}

/** Whether the first line that is neither empty nor a comment begins with `@`. */
function beginsAsTag(document) {
  const lines = Math.min(document.lineCount, HEAD_LINES);
  for (let line = 0; line < lines; line += 1) {
    const text = document.lineAt(line).text.trim();
    if (text !== '' && !text.startsWith('//')) {
      return /^@[A-Za-z_]/.test(text);
    }
  }
  return false;
}

/** Whether a document is a tag that VS Code did not recognise. */
function isTag(document) {
  return (
    document.uri.scheme === 'file' &&
    document.languageId !== LANGUAGE &&
    beginsAsTag(document) &&
    isInTree(path.dirname(document.uri.fsPath))
  );
}

async function claim(document) {
  if (isTag(document)) {
    await vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
  }
}

function makeClient() {
  const settings = vscode.workspace.getConfiguration('astrarium');
  const server = {
    command: settings.get('command') || 'astrarium',
    args: settings.get('arguments') || ['lsp'],
    transport: TransportKind.stdio,
  };
  const options = {
    documentSelector: [
      { scheme: 'file', language: LANGUAGE },
      { scheme: 'untitled', language: LANGUAGE },
    ],
  };
  return new LanguageClient('astrarium', 'Astrarium', { run: server, debug: server }, options);
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    const command = vscode.workspace.getConfiguration('astrarium').get('command');
    const choice = await vscode.window.showErrorMessage(
      `Astrarium: \`${command} lsp\` could not be started: ${error.message}. Is it installed, and is the setting astrarium.command right?`,
      'Open the setting',
    );
    if (choice) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'astrarium.command');
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.state !== State.Stopped) {
    await running.stop();
  }
}

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument(claim),
    vscode.commands.registerCommand('astrarium.restart', async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('astrarium.command') || event.affectsConfiguration('astrarium.arguments')) {
        await stop();
        await start();
      }
    }),
  );
  await Promise.all(vscode.workspace.textDocuments.map(claim));
  await start();
}

module.exports = { activate, deactivate: stop };
