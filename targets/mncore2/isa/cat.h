// Text from pieces, for diagnostics: cat("v", 12, " on ", name).
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace kumihimo::mncore2::isa {

inline void cat_one(std::string& out, std::string_view piece) { out.append(piece); }
inline void cat_one(std::string& out, char piece) { out.push_back(piece); }
template <std::integral T>
void cat_one(std::string& out, T piece) {
  out.append(std::to_string(piece));
}

template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string out;
  (cat_one(out, pieces), ...);
  return out;
}

}  // namespace kumihimo::mncore2::isa
