// Functions on modules: building, reading and printing programs.
#include <fmt/format.h>

#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/nearest.h"
#include "core/driver/driver.h"
#include "core/layout/image.h"
#include "core/layout/text.h"

namespace kumihimo {
namespace {

using nlohmann::json;

// Names of files may hold any bytes.
std::string dump(const json& j) { return j.dump(-1, ' ', false, json::error_handler_t::replace); }

Result<json> parse_json(std::string_view text, std::string_view what) {
  json j = json::parse(text.begin(), text.end(), nullptr, false);
  if (!j.is_discarded()) return j;
  Diagnostic d = make_error("call_argument", fmt::format("{} is not JSON", what));
  d.observed = std::string(text.substr(0, 80));
  d.required = "a JSON text";
  return d;
}

bool is_int64(const json& v) {
  return v.is_number_integer() &&
         !(v.is_number_unsigned() && v.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

Result<Attr> attr_of(const std::string& name, const json& v) {
  if (v.is_boolean()) return Attr(v.get<bool>());
  if (is_int64(v)) return Attr(v.get<int64_t>());
  if (v.is_number_float()) return Attr(v.get<double>());
  if (v.is_string()) return Attr(v.get<std::string>());
  if (v.is_array() && std::all_of(v.begin(), v.end(), is_int64)) return Attr(v.get<std::vector<int64_t>>());
  // Infinities are no JSON numbers.
  if (v.is_object() && v.size() == 1 && v.contains("float") && v["float"].is_string()) {
    const std::string& s = v["float"].get_ref<const std::string&>();
    if (s == "inf") return Attr(std::numeric_limits<double>::infinity());
    if (s == "-inf") return Attr(-std::numeric_limits<double>::infinity());
  }
  Diagnostic d = make_error("call_argument", fmt::format("attribute {} has a kind that no op takes", name));
  d.observed = dump(v).substr(0, 80);
  d.required = "a number, true, false, a string, a list of integers or {\"float\": \"inf\"}";
  return d;
}

Result<std::pair<std::shared_ptr<ModuleObject>, NodeId>> module_and_node(Args a) {
  auto m = arg_object<ModuleObject>(a, 0);
  if (!m) return m.take_error();
  auto id = arg_int(a, 1);
  if (!id) return id.take_error();
  if (*id < 0 || *id > 0xffffffffll) return bad_argument(1, fmt::format("{}", *id), "a node id");
  auto node = (*m)->module.find_node(static_cast<NodeId>(*id));
  if (!node) return node.take_error();
  return std::pair{*m, static_cast<NodeId>(*id)};
}

Result<Value> module_new(Args a) {
  auto name = arg_string(a, 0);
  if (!name) return name.take_error();
  auto target = require_target(*name);
  if (!target) return target.take_error();
  auto m = std::make_shared<ModuleObject>(Module(std::string((*target)->name), (*target)->version, (*target)->tree));
  auto function = arg_string_or(a, 1, "main");
  if (!function) return function.take_error();
  auto is_name = [](std::string_view s) {
    return !s.empty() && !(s[0] >= '0' && s[0] <= '9') && s[0] != '.' &&
           std::all_of(s.begin(), s.end(),
                       [](unsigned char c) { return (c < 0x80 && std::isalnum(c)) || c == '_' || c == '.'; });
  };
  if (!is_name(*function))
    return bad_argument(1, std::string(function->substr(0, 80)),
                        "a function name: letters, digits, _ and . after a letter or _");
  m->module.add_function(std::string(*function));
  return Value{std::shared_ptr<Object>(m)};
}

Result<Value> module_parse(Args a) {
  auto text = arg_string(a, 0);
  if (!text) return text.take_error();
  auto file = arg_string_or(a, 1, "<leir>");
  if (!file) return file.take_error();
  auto m = parse_program(*text, *file);
  if (!m) return m.take_error();
  return Value{std::shared_ptr<Object>(std::make_shared<ModuleObject>(std::move(*m)))};
}

Result<Value> module_print(Args a) {
  auto m = arg_object<ModuleObject>(a, 0);
  if (!m) return m.take_error();
  auto full = arg_int_or(a, 1, 0);
  if (!full) return full.take_error();
  return Value{print((*m)->module, {*full != 0})};
}

Result<Value> module_json(Args a) {
  auto m = arg_object<ModuleObject>(a, 0);
  if (!m) return m.take_error();
  return Value{print_json((*m)->module)};
}

Result<Value> module_first_mismatch(Args a) {
  auto x = arg_object<ModuleObject>(a, 0);
  if (!x) return x.take_error();
  auto y = arg_object<ModuleObject>(a, 1);
  if (!y) return y.take_error();
  if (auto mismatch = first_mismatch((*x)->module, (*y)->module)) return Value{*mismatch};
  return Value{};
}

Result<Value> module_apply(Args a) {
  auto m = arg_object<ModuleObject>(a, 0);
  if (!m) return m.take_error();
  auto op = arg_string(a, 1);
  if (!op) return op.take_error();
  auto attrs_text = arg_string_or(a, 2, "{}");
  if (!attrs_text) return attrs_text.take_error();
  auto where_text = arg_string_or(a, 3, "{}");
  if (!where_text) return where_text.take_error();
  auto variant = arg_string_or(a, 4, "");
  if (!variant) return variant.take_error();
  std::vector<ValueId> operands;
  for (size_t i = 5; i < a.size(); ++i) {
    auto id = arg_int(a, i);
    if (!id) return id.take_error();
    if (*id < 0 || *id > 0xffffff) return bad_argument(i, fmt::format("{}", *id), "a node id");
    operands.push_back({static_cast<NodeId>(*id), 0});
  }
  auto attrs_json = parse_json(*attrs_text, "attributes");
  if (!attrs_json) return attrs_json.take_error();
  if (!attrs_json->is_object()) return bad_argument(2, "no JSON object", "an object of attributes");
  AttrMap attrs;
  for (const auto& [k, v] : attrs_json->items()) {
    auto attr = attr_of(k, v);
    if (!attr) return attr.take_error();
    attrs.emplace(k, std::move(*attr));
  }
  auto where_json = parse_json(*where_text, "the source range");
  if (!where_json) return where_json.take_error();
  SourceRange where;
  if (where_json->is_object()) {
    auto number = [&](const char* key) -> uint32_t {
      auto it = where_json->find(key);
      return it != where_json->end() && it->is_number_unsigned() ? it->get<uint32_t>() : 0;
    };
    auto text = [&](const char* key) -> std::string {
      auto it = where_json->find(key);
      return it != where_json->end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    where = {text("file"), number("line"), number("column"), number("end_column"), text("text")};
  }
  if ((*m)->module.functions().empty()) (*m)->module.add_function("main");
  auto v = apply((*m)->module, (*m)->module.functions().back(), *op, std::move(operands), std::move(attrs),
                 std::move(where), *variant);
  if (!v) return v.take_error();
  return Value{static_cast<int64_t>(v->node)};
}

json type_json(TypeRef t) {
  json j{{"text", to_string(*t)}, {"dtype", dtype_def(t->dtype).name}, {"shape", t->shape}};
  if (t->placed()) {
    j["layout"] = print_layout(*t->layout, *t->tree);
    j["location"] = t->location_name();
    if (!t->block.empty()) j["block"] = t->block;
  }
  return j;
}

Result<Value> node_info(Args a) {
  auto mn = module_and_node(a);
  if (!mn) return mn.take_error();
  const Node& n = mn->first->module.node(mn->second);
  json j{{"id", n.id}, {"op", n.op}, {"variant", n.variant}, {"results", json::array()}};
  for (TypeRef t : n.results) j["results"].push_back(type_json(t));
  if (n.where.known()) j["where"] = {{"file", n.where.file}, {"line", n.where.line}};
  return Value{dump(j)};
}

Result<Value> node_text(Args a) {
  auto mn = module_and_node(a);
  if (!mn) return mn.take_error();
  return Value{print_node(mn->first->module, mn->second, {true})};
}

Result<Value> module_erase(Args a) {
  auto mn = module_and_node(a);
  if (!mn) return mn.take_error();
  if (auto s = mn->first->module.erase_node(mn->second); !s) return s.take_error();
  return Value{};
}

constexpr FunctionDef kFunctions[] = {
    {"module.new", "(target: str, function: str = 'main') -> module", "an empty program for a target", module_new},
    {"module.parse", "(text: str, file: str = '<leir>') -> module", "reads a program from its text and checks it",
     module_parse},
    {"module.print", "(module, full: bool = False) -> str", "the text of a program; full adds types and source ranges",
     module_print},
    {"module.json", "(module) -> str", "the program as JSON (schema kumihimo/leir/1)", module_json},
    {"module.first_mismatch", "(a: module, b: module) -> str | None", "path of the first structural difference",
     module_first_mismatch},
    {"module.apply",
     "(module, op: str, attrs: json = '{}', where: json = '{}', variant: str = '', *operands: int) -> int",
     "checks an application of an op and adds its node", module_apply},
    {"module.erase", "(module, node: int) -> None", "erases a node that nothing uses", module_erase},
    {"node.info", "(module, node: int) -> json", "op, variant and result types of a node", node_info},
    {"node.text", "(module, node: int) -> str", "the full text of a node", node_text},
};

}  // namespace

std::span<const FunctionDef> module_functions() { return kFunctions; }

}  // namespace kumihimo
