// The process's table of diagnostic codes: core's rows, then what targets and plug-ins register.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "core/diag/diagnostic.h"
#include "core/diag/kinds.h"

namespace kumihimo {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<const DiagDef*> rows;
  std::unordered_map<std::string_view, const DiagDef*> by_text;  // code and name
  std::vector<std::string> conflicts;

  Registry() {
    for (const DiagDef& row : diag::core_kinds()) add(&row);
  }
  // Rows whose code or name is taken are left out: the first row of a code keeps its meaning.
  void add(const DiagDef* row) {
    for (std::string_view text : {row->code, row->name}) {
      auto it = by_text.find(text);
      if (it == by_text.end()) continue;
      const DiagDef& taken = *it->second;
      if (taken.code != row->code || taken.name != row->name || taken.rule != row->rule)
        conflicts.push_back(std::string(row->code) + " " + std::string(row->name) + ": taken by " +
                            std::string(taken.code) + " " + std::string(taken.name));
      return;
    }
    by_text.emplace(row->code, row);
    by_text.emplace(row->name, row);
    rows.push_back(row);
  }
};

Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

}  // namespace

const DiagDef* find_diagnostic(std::string_view code_or_name) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  auto it = r.by_text.find(code_or_name);
  return it == r.by_text.end() ? nullptr : it->second;
}

std::vector<const DiagDef*> all_diagnostics() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  std::vector<const DiagDef*> rows = r.rows;
  std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->code < b->code; });
  return rows;
}

void register_diagnostics(const DiagDef* rows, size_t count) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (size_t i = 0; i < count; ++i) r.add(rows + i);
}

std::vector<std::string> diagnostic_conflicts() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  return r.conflicts;
}

Diagnostic make_error(std::string_view code_or_name, std::string headline) {
  Diagnostic d;
  d.def = find_diagnostic(code_or_name);
  if (d.def == nullptr) {
    // A test holds that every name in the sources is registered; a plug-in's mistake must still say something.
    d.def = find_diagnostic("unregistered_code");
    d.bound.emplace_back("code", std::string(code_or_name));
  }
  d.headline = std::move(headline);
  return d;
}

}  // namespace kumihimo
