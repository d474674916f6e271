// Frames of the language server protocol on two file descriptors: `Content-Length: N`, a blank line, N bytes of JSON.
//
// Whatever comes in, a frame or a fault goes out: a header that cannot be read, a length that is none or too large, a body
// that is no JSON. Behind a fault in a header the next `Content-Length:` is looked for.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <string>

namespace kumi::lsp {

struct Frame {
  nlohmann::json message;  // when there is no fault
  std::string fault;       // what is wrong with the bytes
};

class Channel {
 public:
  static constexpr size_t kMaxHeader = 8 << 10, kMaxBody = 64 << 20;
  static constexpr int kMaxNesting = 200;

  Channel(int in, int out) : in_(in), out_(out) {}

  // Appends what has arrived to `queue`. Waits for the first frame when `wait`. False at the end of input.
  bool receive(std::deque<Frame>& queue, bool wait);
  // False when nobody reads any more.
  bool send(const nlohmann::json& message);

 private:
  bool take(Frame& out);
  Frame fault(std::string what);
  Frame read_body(std::string_view body) const;

  int in_, out_;
  std::string buffer_;
  size_t at_ = 0;      // bytes of buffer_ that are used up
  size_t skip_ = 0;    // bytes of a body that is too large
  bool lost_ = false;  // the next header is to be looked for
  bool end_ = false;
};

}  // namespace kumi::lsp
