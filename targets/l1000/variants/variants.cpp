#include "targets/l1000/variants/variants.h"

#include <deque>
#include <string>

#include "targets/mncore2/variants/variants.h"

namespace kumihimo::l1000::variants {
namespace {

constexpr std::string_view kBase = "mncore2.", kOwn = "l1000.";

// Names of taken rows; a row's name is a view.
std::string_view own_name(std::string_view name) {
  static std::deque<std::string> names;
  names.push_back(std::string(kOwn) + std::string(name.substr(kBase.size())));
  return names.back();
}

}  // namespace

std::span<const Variant> all_variants() {
  static const std::vector<Variant> table = [] {
    std::vector<Variant> t;
    for (const Variant& base : mncore2::variants::all_variants()) {
      Variant v = base.op == "tensor" ? tensor_variant(base) : base;
      v.name = own_name(base.name);
      v.emit = nullptr;
      t.push_back(std::move(v));
    }
    for (auto part : {format_variants(), linear_variants(), where_variants()})
      t.insert(t.end(), part.begin(), part.end());
    return t;
  }();
  return table;
}

}  // namespace kumihimo::l1000::variants
