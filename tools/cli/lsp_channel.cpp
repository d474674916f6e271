#include "tools/cli/lsp_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

namespace kumi::lsp {
namespace {

using nlohmann::json;

constexpr std::string_view kLength = "Content-Length:";

bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if ((a[i] | 0x20) != (b[i] | 0x20)) return false;
  return true;
}

bool header_name(std::string_view name) {
  for (char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-')) return false;
  return !name.empty();
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

// Deepest nesting of arrays and objects; a JSON value of a million levels costs gigabytes once it is read.
int nesting(std::string_view body) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

Frame Channel::fault(std::string what) { return {{}, std::move(what)}; }

Frame Channel::read_body(std::string_view body) const {
  if (nesting(body) > kMaxNesting) return {{}, fmt::format("JSON is nested more than {} levels deep", kMaxNesting)};
  json message = json::parse(body, nullptr, false);
  if (message.is_discarded()) return {{}, "the message is not JSON"};
  return {std::move(message), {}};
}

bool Channel::take(Frame& out) {
  if (skip_ > 0) {
    const size_t n = std::min(skip_, buffer_.size() - at_);
    at_ += n, skip_ -= n;
    if (skip_ > 0) return false;
  }
  if (lost_) {
    const size_t found = buffer_.find(kLength, at_);
    if (found == std::string::npos) {
      // The last bytes may be the beginning of a header.
      at_ = std::max(at_, buffer_.size() - std::min(buffer_.size(), kLength.size() - 1));
      return false;
    }
    at_ = found, lost_ = false;
  }
  const std::string_view bytes = std::string_view(buffer_).substr(at_);
  size_t line = 0;
  int64_t length = -1;
  for (;;) {
    const size_t stop = bytes.substr(0, kMaxHeader).find('\n', line);
    if (stop == std::string_view::npos) {
      if (bytes.size() < kMaxHeader) return false;
      at_ += line + 1, lost_ = true;
      out = fault(fmt::format("a header of more than {} bytes", kMaxHeader));
      return true;
    }
    const std::string_view header = trimmed(bytes.substr(line, stop - line));
    line = stop + 1;
    if (header.empty()) break;
    const size_t colon = header.find(':');
    const bool readable = colon != std::string_view::npos && header_name(header.substr(0, colon));
    bool good = readable;
    if (readable && same_name(header.substr(0, colon), kLength.substr(0, kLength.size() - 1))) {
      const std::string_view digits = trimmed(header.substr(colon + 1));
      const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
      good = code == std::errc{} && end == digits.data() + digits.size() && length >= 0;
    }
    if (!good) {
      at_ += line, lost_ = true;
      out = fault(readable ? "Content-Length is a number of bytes" : "a header is `Content-Length: N`");
      return true;
    }
  }
  if (length < 0) {
    at_ += line, lost_ = true;
    out = fault("the header has no Content-Length");
    return true;
  }
  const auto size = static_cast<size_t>(length);
  if (size > kMaxBody) {
    at_ += line, skip_ = size;
    out = fault(fmt::format("a message of {} bytes; at most {} are read", size, kMaxBody));
    return true;
  }
  if (bytes.size() < line + size) return false;
  out = read_body(bytes.substr(line, size));
  at_ += line + size;
  return true;
}

bool Channel::receive(std::deque<Frame>& queue, bool wait) {
  for (;;) {
    Frame frame;
    bool any = false;
    while (take(frame)) {
      queue.push_back(std::move(frame));
      any = true;
    }
    buffer_.erase(0, at_);
    at_ = 0;
    if (end_) return false;
    pollfd ready{in_, POLLIN, 0};
    const int n = ::poll(&ready, 1, wait && !any ? -1 : 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    char bytes[1 << 16];
    const ssize_t got = ::read(in_, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got > 0) {
      buffer_.append(bytes, static_cast<size_t>(got));
      wait = wait && !any;
      continue;
    }
    end_ = true;
    if (!buffer_.empty() && !lost_) queue.push_back(fault("the input ends inside a message"));
    return false;
  }
}

bool Channel::send(const json& message) {
  const std::string body = message.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::string bytes = fmt::format("{} {}\r\n\r\n{}", kLength, body.size(), body);
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(out_, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace kumi::lsp
