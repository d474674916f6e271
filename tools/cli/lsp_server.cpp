#include "tools/cli/lsp_server.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/cli/lsp_answers.h"

namespace kumi::lsp {
namespace {

namespace api = kumihimo::api;

bool valid_id(const json& id) { return id.is_number_integer() || id.is_string(); }

// The value at a path of an object, null where there is none.
const json& look(const json& from, std::initializer_list<const char*> path) {
  static const json nothing;
  const json* at = &from;
  for (const char* key : path) {
    if (!at->is_object() || !at->contains(key)) return nothing;
    at = &(*at)[key];
  }
  return *at;
}

bool says(const json& list, const char* word) {
  return list.is_array() && std::find(list.begin(), list.end(), json(word)) != list.end();
}

}  // namespace

const Server::Method Server::kMethods[] = {
    {"initialize", true, &Server::initialize},
    {"initialized", false, &Server::ignore},
    {"shutdown", true, &Server::shutdown},
    {"$/cancelRequest", false, &Server::ignore},  // heard when it arrived
    {"$/setTrace", false, &Server::ignore},
    {"workspace/didChangeConfiguration", false, &Server::ignore},
    {"textDocument/didOpen", false, &Server::did_open},
    {"textDocument/didChange", false, &Server::did_change},
    {"textDocument/didSave", false, &Server::ignore},
    {"textDocument/didClose", false, &Server::did_close},
    {"textDocument/hover", true, &Server::hover},
    {"textDocument/completion", true, &Server::complete},
    {"textDocument/codeAction", true, &Server::code_action},
};

int Server::run() {
  for (;;) {
    if (queue_.empty()) publish();
    std::deque<Frame> arrived;
    const bool more = channel_.receive(arrived, queue_.empty());
    for (Frame& frame : arrived) enqueue(std::move(frame));
    if (queue_.empty()) {
      if (!more || !connected_) break;
      continue;
    }
    const Frame frame = std::move(queue_.front());
    queue_.pop_front();
    if (!frame.fault.empty()) {
      reply_error(nullptr, kParseError, frame.fault);
      continue;
    }
    if (frame.message.is_object() && frame.message.value("method", json()) == "exit") break;
    handle(frame.message);
    if (!connected_) break;
  }
  return state_ == State::kShutDown ? 0 : 1;
}

void Server::enqueue(Frame frame) {
  const json& m = frame.message;
  if (look(m, {"method"}) == "$/cancelRequest")
    if (const json& id = look(m, {"params", "id"}); valid_id(id))
      // Only what waits can be cancelled: other ids would be kept for ever.
      for (const Frame& waiting : queue_)
        if (look(waiting.message, {"id"}) == id) cancelled_.insert(id);
  queue_.push_back(std::move(frame));
}

void Server::reply_error(const json& id, Code code, const std::string& message) {
  connected_ &= channel_.send(
      {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
}

void Server::log(const std::string& text) {
  connected_ &= channel_.send(
      {{"jsonrpc", "2.0"}, {"method", "window/logMessage"}, {"params", {{"type", 1}, {"message", text}}}});
}

void Server::handle(const json& message) {
  if (!message.is_object()) return reply_error(nullptr, kInvalidRequest, "a message is a JSON object");
  const bool has_id = message.contains("id");
  const json id = has_id && valid_id(message["id"]) ? message["id"] : json();
  if (!look(message, {"method"}).is_string()) {
    // Answers need none: this server asks nothing.
    if (message.contains("result") || message.contains("error")) return;
    return reply_error(id, kInvalidRequest, "a message has a method");
  }
  if (has_id && id.is_null()) return reply_error(id, kInvalidRequest, "an id is a number or a string");
  const std::string name = message["method"].get<std::string>();
  const Method* method = nullptr;
  for (const Method& m : kMethods)
    if (m.name == name) method = &m;
  if (has_id) {
    if (cancelled_.erase(id) > 0) return reply_error(id, kRequestCancelled, "cancelled by the client");
    try {
      json reply{{"jsonrpc", "2.0"}, {"id", id}};
      reply["result"] =
          answer(method != nullptr && method->request ? method : nullptr, name, look(message, {"params"}));
      connected_ &= channel_.send(reply);
    } catch (const RequestError& e) {
      reply_error(id, e.code, e.message);
    }
    return;
  }
  // Notifications that nobody knows are ignored, as the protocol wants it.
  if (method == nullptr || method->request || state_ != State::kRunning) return;
  try {
    answer(method, name, look(message, {"params"}));
  } catch (const RequestError& e) {
    log(fmt::format("{}: {}", name, e.message));
  }
}

json Server::answer(const Method* method, const std::string& name, const json& params) {
  if (state_ == State::kStarted && name != "initialize") throw RequestError{kNotInitialized, "initialize comes first"};
  if (state_ == State::kShutDown) throw RequestError{kInvalidRequest, "the server was shut down"};
  if (method == nullptr) throw RequestError{kMethodNotFound, fmt::format("no method {}", name)};
  try {
    return (this->*method->handler)(params);
  } catch (const json::exception& e) {
    throw RequestError{kInvalidParams, e.what()};
  } catch (const api::Error& e) {
    throw RequestError{kInternalError, e.text()};
  } catch (const std::bad_alloc&) {
    throw RequestError{kInternalError, "out of memory"};
  }
}

json Server::ignore(const json&) { return {}; }

json Server::initialize(const json& params) {
  if (state_ != State::kStarted) throw RequestError{kInvalidRequest, "initialize comes once"};
  const json& profile = look(params, {"initializationOptions", "profile"});
  if (profile.is_string()) {
    try {
      api::call("mncore2.editor", {"", "", profile.get<std::string>()});
    } catch (const api::Error& e) {
      throw RequestError{kInvalidParams, e.text()};
    }
    profile_ = profile.get<std::string>();
  }
  const json& caps = look(params, {"capabilities"});
  if (says(look(caps, {"general", "positionEncodings"}), "utf-8")) client_.encoding = Encoding::kUtf8;
  client_.markdown_hover = says(look(caps, {"textDocument", "hover", "contentFormat"}), "markdown");
  client_.related = look(caps, {"textDocument", "publishDiagnostics", "relatedInformation"}) == true;
  client_.snippets = look(caps, {"textDocument", "completion", "completionItem", "snippetSupport"}) == true;
  client_.code_action_literals = look(caps, {"textDocument", "codeAction", "codeActionLiteralSupport"}).is_object();
  state_ = State::kRunning;
  return {{"serverInfo", {{"name", "kumi"}, {"version", kmh_version()}}},
          {"capabilities", server_capabilities(client_.encoding)}};
}

json Server::shutdown(const json&) {
  state_ = State::kShutDown;
  return nullptr;
}

Document& Server::document(const json& params) {
  const std::string uri = params.at("textDocument").at("uri").get<std::string>();
  const auto it = documents_.find(uri);
  if (it == documents_.end()) throw RequestError{kInvalidParams, fmt::format("{} is not open", uri)};
  return it->second;
}

json Server::did_open(const json& params) {
  const json& item = params.at("textDocument");
  const std::string uri = item.at("uri").get<std::string>();
  documents_.insert_or_assign(uri, Document(uri, item.at("version").get<int64_t>(), item.at("text").get<std::string>(),
                                            client_.encoding, profile_));
  changed_.insert(uri);
  return {};
}

json Server::did_change(const json& params) {
  Document& d = document(params);
  const int64_t version = params.at("textDocument").at("version").get<int64_t>();
  for (const json& change : params.at("contentChanges")) d.change(change, version);
  changed_.insert(d.uri());
  return {};
}

json Server::did_close(const json& params) {
  const std::string uri = document(params).uri();
  documents_.erase(uri);
  changed_.insert(uri);
  return {};
}

void Server::publish() {
  for (const std::string& uri : changed_) {
    const auto it = documents_.find(uri);
    json params{{"uri", uri}, {"diagnostics", json::array()}};
    if (it != documents_.end()) {
      params["version"] = it->second.version();
      try {
        params["diagnostics"] = diagnostics(it->second, client_);
      } catch (const api::Error& e) {
        log(e.text());
      }
    }
    json message{{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}};
    message["params"] = std::move(params);  // an initialiser list would copy it
    connected_ &= channel_.send(message);
  }
  changed_.clear();
}

json Server::hover(const json& params) {
  Document& d = document(params);
  return hover_answer(d, d.offset(params.at("position")), client_);
}

json Server::complete(const json& params) {
  Document& d = document(params);
  return completion(d, d.offset(params.at("position")), client_);
}

json Server::code_action(const json& params) {
  Document& d = document(params);
  const json& range = params.at("range");
  const size_t begin = d.offset(range.at("start")), end = d.offset(range.at("end"));
  const json& only = look(params, {"context", "only"});
  // Clients that know no literals want commands, and this server has none.
  if (!client_.code_action_literals || (only.is_array() && !says(only, "quickfix") && !says(only, "")))
    return json::array();
  return code_actions(d, std::min(begin, end), std::max(begin, end), client_);
}

}  // namespace kumi::lsp
