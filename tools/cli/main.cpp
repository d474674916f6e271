#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "tools/cli/cli.h"

int main(int argc, char** argv) {
  using namespace kumi;
  try {
    CLI::App app{"kumi: programs and assembly for MN-Core 2, checked, lowered and emulated bit for bit"};
    app.name("kumi");
    app.set_version_flag("--version", std::string("kumi ") + kmh_version());
    app.require_subcommand(1);
    app.fallthrough();
    Options options;
    app.add_flag("--json", options.json, "print one JSON object instead of text");
    int code = kYes;
    add_vsm_commands(app, options, code);
    add_emu_command(app, options, code);
    add_judge_command(app, options, code);
    add_lsp_command(app, options, code);
    add_program_commands(app, options, code);
    add_knowledge_commands(app, options, code);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      // Help and version end with 0; everything else is usage.
      return app.exit(e) == 0 ? kYes : kUsage;
    }
    std::cout.flush();
    return std::cout ? code : kInternal;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kumi: internal fault: %s\n", e.what());
    return kInternal;
  }
}
