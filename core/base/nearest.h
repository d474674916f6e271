// Nearest names for "did you mean": Levenshtein distance over a short list of candidates.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kumihimo {

// Case does not count: `pe` for `PE` is the commonest slip.
size_t edit_distance(std::string_view a, std::string_view b);

// The candidates within half of the longer word's length, nearest first, at most three. Words over 64 letters have
// none.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string_view> candidates);
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> candidates);

// " (did you mean a or b?)", or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace kumihimo
