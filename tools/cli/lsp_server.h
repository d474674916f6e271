// The language server: one client, one thread, questions answered in the order in which they came.
//
// All input that has arrived is read before the next message is answered, so a request that was cancelled meanwhile is
// refused without work, and diagnostics are made once for a burst of changes: when nothing is left to read.
// What the answers say comes from the library (mncore2.editor_*); here is the protocol and nothing about VSM.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>

#include "tools/cli/lsp_channel.h"
#include "tools/cli/lsp_document.h"

namespace kumi::lsp {

using nlohmann::json;

// Error codes of JSON-RPC and the protocol.
enum Code : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kNotInitialized = -32002,
  kRequestCancelled = -32800,
};

struct RequestError {
  Code code;
  std::string message;
};

// What the client said that it can show.
struct Client {
  Encoding encoding = Encoding::kUtf16;
  bool markdown_hover = false, related = false, snippets = false, code_action_literals = false;
};

class Server {
 public:
  Server(Channel channel, std::string profile) : channel_(std::move(channel)), profile_(std::move(profile)) {}

  // Until `exit` or the end of input. 0 = the client said shutdown before.
  int run();

 private:
  using Handler = json (Server::*)(const json& params);
  struct Method {
    std::string_view name;
    bool request;  // answered; the others are notifications
    Handler handler;
  };
  static const Method kMethods[];

  void enqueue(Frame frame);
  void handle(const json& message);
  json answer(const Method* method, const std::string& name, const json& params);
  void reply_error(const json& id, Code code, const std::string& message);
  void log(const std::string& text);
  void publish();
  Document& document(const json& params);

  json initialize(const json& params);
  json shutdown(const json& params);
  json ignore(const json& params);
  json did_open(const json& params);
  json did_change(const json& params);
  json did_close(const json& params);
  json hover(const json& params);
  json complete(const json& params);
  json code_action(const json& params);

  Channel channel_;
  std::string profile_;
  Client client_;
  enum class State { kStarted, kRunning, kShutDown } state_ = State::kStarted;
  bool connected_ = true;
  std::deque<Frame> queue_;
  std::set<json> cancelled_;
  std::map<std::string, Document> documents_;
  std::set<std::string> changed_;  // documents whose diagnostics are to be published
};

}  // namespace kumi::lsp
