// Starts `kumi lsp` for VSM files. Everything else is the server's.
"use strict";

const { workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const settings = workspace.getConfiguration("vsm");
  const server = { command: settings.get("server.path"), args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("vsm", "VSM", server, {
    documentSelector: [{ language: "vsm" }],
    initializationOptions: { profile: settings.get("lint.profile") },
  });
  await client.start();
};

exports.deactivate = () => client?.stop();
