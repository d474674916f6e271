// What the library says about a document, in the protocol's words.
#pragma once

#include "tools/cli/lsp_server.h"

namespace kumi::lsp {

// Editors draw each of them; a file with more has one cause, or is no VSM.
inline constexpr size_t kMaxDiagnostics = 1000;

json server_capabilities(Encoding encoding);
json diagnostics(Document& d, const Client& client);
json completion(Document& d, size_t offset, const Client& client);
// Quick fixes for what touches [begin, end] in bytes.
json code_actions(Document& d, size_t begin, size_t end, const Client& client);
json hover_answer(Document& d, size_t offset, const Client& client);

}  // namespace kumi::lsp
