// MVs in flight: which words may not be touched yet.
#pragma once

#include <vector>

#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/mv.h"

namespace kumihimo::mncore2::hazard {

class MvTracker {
 public:
  // Reads the tags of the whole program: a wait may stand before anything that completes its tag.
  MvTracker(const isa::Program& program, std::vector<Finding>& out);
  void issue(const isa::Insn& mv, size_t line);
  void wait(uint8_t tag, size_t line);
  // A host transfer completes its tag by itself.
  void host(uint8_t tag) { host_[tag & 63] = true; }
  // A PE step's instruction: L2BM instructions touch words that MVs move.
  void touch(const isa::Insn& insn, size_t line);

 private:
  struct InFlight {
    const isa::InsnDef* def;
    isa::MvFootprint footprint;
    isa::MvPorts ports;
    uint8_t tag;
    size_t line;
  };
  void report(const InFlight& mv, size_t line, const char* what);
  void unanswered(uint8_t tag, size_t line);
  Finding& add(const DiagDef& def, Severity severity, size_t line, size_t other, std::string headline);

  std::vector<Finding>& out_;
  std::vector<InFlight> in_flight_;
  bool seen_[64] = {};
  bool host_[64] = {};
  void mend_with_wait(Finding& finding, const InFlight& mv, size_t line);

  const isa::Program& program_;
  size_t first_[64];           // the first MV that carries the tag, kNoLine = none in the program
  uint8_t free_tag_ = 0;       // that nothing carries and nothing waits for; 0 = none is left
  bool host_records_ = false;  // the program holds the host's transfers itself
};

}  // namespace kumihimo::mncore2::hazard
