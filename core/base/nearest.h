// Nearest names for "did you mean": Levenshtein distance over a short list of candidates.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kumihimo {

// The candidates within a third of the word's length (at least 2 edits), nearest first, at most three.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> candidates);

// " (did you mean a or b?)", or empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace kumihimo
