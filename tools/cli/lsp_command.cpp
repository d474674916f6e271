// kumi lsp: a language server for VSM files on stdin and stdout.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <memory>

#include "tools/cli/cli.h"
#include "tools/cli/lsp_server.h"

namespace kumi {

void add_lsp_command(CLI::App& app, Options& options, int& code) {
  struct LspOptions {
    std::string profile = "default";
    bool stdio = false;
  };
  auto o = std::make_shared<LspOptions>();
  CLI::App* c = app.add_subcommand("lsp", "language server for VSM files, on stdin and stdout: docs/howto/editors.md");
  c->add_option("--profile", o->profile, "set of rules: default, published or cautious; an editor may choose another");
  c->add_flag("--stdio", o->stdio, "what editors pass; there is no other transport");
  c->callback([&options, &code, o] {
    code = guarded(options, [&] {
      api::call("mncore2.editor", {"", "", o->profile});  // a profile that does not exist ends here
      // A client that went away is seen by write.
      std::signal(SIGPIPE, SIG_IGN);
      return lsp::Server(lsp::Channel(STDIN_FILENO, STDOUT_FILENO), o->profile).run();
    });
  });
}

}  // namespace kumi
