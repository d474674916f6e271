#include "core/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kumihimo {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return {};
  std::vector<std::pair<size_t, std::string_view>> found;
  for (std::string_view c : candidates) {
    const size_t limit = std::max<size_t>(1, std::max(word.size(), c.size()) / 2);
    if (size_t d = edit_distance(word, c); d <= limit) found.emplace_back(d, c);
  }
  std::ranges::stable_sort(found, {}, &std::pair<size_t, std::string_view>::first);
  std::vector<std::string> out;
  for (size_t i = 0; i < found.size() && i < 3; ++i) out.emplace_back(found[i].second);
  return out;
}

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return nearest_names(word, std::span<const std::string_view>(views));
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string> names = nearest_names(word, candidates);
  if (names.empty()) return {};
  std::string out = " (did you mean " + names[0];
  for (size_t i = 1; i < names.size(); ++i) out += (i + 1 == names.size() ? " or " : ", ") + names[i];
  return out + "?)";
}

}  // namespace kumihimo
