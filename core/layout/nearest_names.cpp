// Names near to a misspelt one, by edit distance without regard to case.
#include <algorithm>
#include <numeric>

#include "core/layout/text.h"

namespace kumihimo {

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string_view> known) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  if (word.size() > 64) return {};
  std::vector<std::pair<size_t, std::string_view>> scored;
  for (std::string_view name : known) {
    std::vector<size_t> row(name.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= name.size(); ++j) {
        const size_t cost = lower(word[i - 1]) == lower(name[j - 1]) ? 0 : 1;
        const size_t value = std::min({row[j] + 1, row[j - 1] + 1, diagonal + cost});
        diagonal = row[j];
        row[j] = value;
      }
    }
    if (row.back() <= std::max<size_t>(1, std::max(word.size(), name.size()) / 2))
      scored.emplace_back(row.back(), name);
  }
  std::stable_sort(scored.begin(), scored.end(), [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (size_t i = 0; i < scored.size() && i < 3; ++i) out.emplace_back(scored[i].second);
  return out;
}

}  // namespace kumihimo
