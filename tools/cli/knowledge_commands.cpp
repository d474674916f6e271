// kumi explain, layout, describe: what the compiler knows.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

#include "tools/cli/cli.h"

namespace kumi {
namespace {

struct LayoutOptions {
  std::string text, target = "mncore2", index;
  int bits = 16;
};

int run_explain(const Options& options, const std::string& name) {
  json j = json::parse(api::call("explain", {name}).string());
  if (options.json) {
    j["ok"] = true;
    std::cout << j.dump() << "\n";
    return kYes;
  }
  std::cout << fmt::format("{}  {}\n\n{}\n", j["code"].get<std::string>(), j["name"].get<std::string>(),
                           j["rule"].get<std::string>());
  if (!j["variants"].empty()) {
    std::cout << "\nChecked by:\n";
    for (const json& v : j["variants"]) std::cout << "  " << v.get<std::string>() << "\n";
  }
  return kYes;
}

int run_layout(const Options& options, const LayoutOptions& o) {
  json j = json::parse(api::call("layout.parse", {o.text, o.target, o.bits}).string());
  if (!o.index.empty()) {
    std::vector<api::Value> args{o.text, o.target, o.bits};
    for (const std::string& part : CLI::detail::split(o.index, ',')) {
      try {
        args.push_back(api::Value(static_cast<int64_t>(std::stoll(part))));
      } catch (const std::exception&) {
        throw Fault{kUsage,
                    fmt::format("error: --index takes integers, not {}\n", part),
                    {{"headline", "--index takes integers"}, {"observed", part}}};
      }
    }
    j["who_holds"] = api::call("layout.who_holds", args).string();
  }
  if (options.json) {
    j["ok"] = true;
    std::cout << j.dump() << "\n";
    return kYes;
  }
  std::cout << j["text"].get<std::string>() << "\n"
            << fmt::format("{} rows of long words in a unit", j["rows"].get<int64_t>());
  if (j.contains("copies")) std::cout << fmt::format(", {} copies", j["copies"].get<int64_t>());
  std::cout << "\n";
  if (j.contains("who_holds")) std::cout << j["who_holds"].get<std::string>() << "\n";
  return kYes;
}

// Rows as a table of name and sentence; everything is in the JSON.
int run_describe(const Options& options, const std::string& what, const std::string& target, bool markdown) {
  if (markdown) {
    std::cout << api::call("describe", {what + ".markdown", target}).string();
    return kYes;
  }
  json j = json::parse(api::call("describe", {what, target}).string());
  if (options.json) {
    std::cout << j.dump() << "\n";
    return kYes;
  }
  size_t width = 0;
  auto name_of = [](const json& row) {
    for (const char* key : {"code", "name"})
      if (row.contains(key)) return row[key].get<std::string>();
    return std::string();
  };
  if (!j.is_array()) {
    std::cout << j.dump(2) << "\n";
    return kYes;
  }
  for (const json& row : j) width = std::max(width, name_of(row).size());
  for (const json& row : j) {
    std::string doc = row.value("doc", row.value("rule", ""));
    std::cout << fmt::format("{:<{}}  {}\n", name_of(row), width, doc);
  }
  return kYes;
}

}  // namespace

void add_knowledge_commands(CLI::App& app, Options& options, int& code) {
  {
    auto name = std::make_shared<std::string>();
    CLI::App* c = app.add_subcommand("explain", "the rule behind a diagnostic code");
    c->add_option("code", *name, "code or name: K2008, op_dtype")->required();
    c->callback([&options, &code, name] { code = guarded(options, [&] { return run_explain(options, *name); }); });
  }
  {
    auto o = std::make_shared<LayoutOptions>();
    CLI::App* c = app.add_subcommand("layout", "read a layout: normal text, rows, who holds an element");
    c->add_option("text", o->text, "layout text")->required();
    c->add_option("--target", o->target, "target whose axes it names");
    c->add_option("--bits", o->bits, "width of an element");
    c->add_option("--index", o->index, "i,j,…: say who holds that element");
    c->callback([&options, &code, o] { code = guarded(options, [&] { return run_layout(options, *o); }); });
  }
  {
    auto what = std::make_shared<std::string>("ops");
    auto target = std::make_shared<std::string>("mncore2");
    auto markdown = std::make_shared<bool>(false);
    CLI::App* c = app.add_subcommand(
        "describe", "tables of the compiler: ops, insns, axes, locations, variants, machine, diagnostics, functions");
    c->add_option("what", *what, "name of the table");
    c->add_option("--target", *target, "target");
    c->add_flag("--markdown", *markdown, "as a reference page");
    c->callback([&options, &code, what, target, markdown] {
      code = guarded(options, [&] { return run_describe(options, *what, *target, *markdown); });
    });
  }
}

}  // namespace kumi
