#include "targets/mncore2/session/options.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/dispatch/function.h"

namespace kumihimo::mncore2::session {
namespace {

using nlohmann::json;

std::string switch_choices() {
  std::string out;
  for (const num::SwitchRow& row : num::switch_rows()) {
    out += fmt::format("{}{}: ", out.empty() ? "" : "; ", row.name);
    for (size_t i = 0; i < row.alternatives.size(); ++i) out += (i ? " or " : "") + std::string(row.alternatives[i]);
  }
  return out;
}

bool parse_hex(std::string_view digits, uint64_t& out) {
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
  return ec == std::errc{} && end == digits.data() + digits.size();
}

}  // namespace

Result<Options> parse_options(std::string_view text, size_t i) {
  json j = json::parse(text.begin(), text.end(), nullptr, false);
  if (!j.is_object()) return bad_argument(i, std::string(text.substr(0, 80)), "a JSON object of options");
  Options o;
  o.machine = find_machine("mncore2");
  for (const auto& [key, value] : j.items()) {
    if (key == "machine" && value.is_string()) {
      o.machine = find_machine(value.get<std::string>());
      if (!o.machine) {
        std::string known;
        for (const MachineConfig& m : machines()) known += (known.empty() ? "" : ", ") + std::string(m.name);
        return bad_argument(i, "machine " + value.get<std::string>(), "one of " + known);
      }
    } else if (key == "strict" && value.is_boolean()) {
      o.emu.strict = value.get<bool>();
    } else if (key == "threads" && value.is_number_integer()) {
      o.emu.threads = value.get<int>();
    } else if (key == "poison" && value.is_string()) {
      if (!parse_hex(value.get<std::string>(), o.emu.poison))
        return bad_argument(i, "poison " + value.get<std::string>(), "up to 16 hex digits");
    } else if (key == "path" && value.is_string()) {
      const auto path = fast::path_named(value.get<std::string>());
      if (!path) return bad_argument(i, "path " + value.get<std::string>(), "auto, scalar, avx2 or avx512");
      o.emu.path = *path;
    } else if (key == "switches" && value.is_object()) {
      for (const auto& [name, choice] : value.items())
        if (!choice.is_string() || !num::set_switch(o.emu.switches, name, choice.get<std::string>()))
          return bad_argument(i, fmt::format("switch {}: {}", name, choice.dump()), switch_choices());
    } else {
      return bad_argument(i, fmt::format("{}: {}", key, value.dump()),
                          "machine, strict, threads, path, poison or switches");
    }
  }
  return o;
}

std::string identity(const Options& o) {
  nlohmann::ordered_json j{
      {"machine", o.machine->name}, {"strict", o.emu.strict}, {"poison", fmt::format("{:016x}", o.emu.poison)}};
  for (const num::SwitchRow& row : num::switch_rows())
    j["switches"][std::string(row.name)] = num::switch_value(o.emu.switches, row.name);
  return j.dump();
}

}  // namespace kumihimo::mncore2::session
