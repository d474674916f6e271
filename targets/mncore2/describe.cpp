#include "targets/mncore2/describe.h"

#include <nlohmann/json.hpp>

#include "targets/mncore2/editor/grammar.h"
#include "targets/mncore2/hazard/describe.h"
#include "targets/mncore2/isa/describe.h"
#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2 {
namespace {

struct Field {
  const char* name;
  Fact MachineConfig::*fact;
};
#define KMH_FIELD(name) \
  Field { #name, &MachineConfig::name }
constexpr Field kFields[] = {
    KMH_FIELD(groups),          KMH_FIELD(l2bs_per_group), KMH_FIELD(l1bs_per_l2b),    KMH_FIELD(mabs_per_l1b),
    KMH_FIELD(pes_per_mab),     KMH_FIELD(dram_lw),        KMH_FIELD(pdm_lw),          KMH_FIELD(l2bm_lw),
    KMH_FIELD(l1bm_lw),         KMH_FIELD(lm_words),       KMH_FIELD(grf_words),       KMH_FIELD(t_lw),
    KMH_FIELD(omr_entries),     KMH_FIELD(omr_writable),   KMH_FIELD(bar_bits),        KMH_FIELD(dar_entries),
    KMH_FIELD(wait_tags),       KMH_FIELD(clock_hz),       KMH_FIELD(cycles_per_step), KMH_FIELD(matrix_fma_d),
    KMH_FIELD(matrix_fma_f),    KMH_FIELD(matrix_fma_g),   KMH_FIELD(matrix_fma_h),    KMH_FIELD(vector_fma_d),
    KMH_FIELD(vector_fma_f),    KMH_FIELD(vector_fma_h),   KMH_FIELD(l2bm_port_lw),    KMH_FIELD(l1bm_l2_port_lw),
    KMH_FIELD(l1bm_pe_port_lw), KMH_FIELD(lm_port_lw),     KMH_FIELD(grf_port_lw),     KMH_FIELD(t_port_lw),
    KMH_FIELD(pe_words_per_mv),
};
#undef KMH_FIELD

std::string machines_json() {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const MachineConfig& m : machines())
    for (const Field& f : kFields) {
      const Fact& fact = m.*f.fact;
      out.push_back({{"machine", m.name},
                     {"name", f.name},
                     {"value", fact.value},
                     {"source", fact.source},
                     {"evidence", std::string(1, fact.evidence)}});
    }
  return out.dump();
}

}  // namespace

std::string describe(std::string_view what) {
  if (what == "insns") return isa::describe_insns_json();
  if (what == "insns.markdown") return isa::describe_insns_markdown();
  if (what == "hazards") return hazard::describe_rules_json();
  if (what == "hazards.markdown") return hazard::describe_rules_markdown();
  if (what == "grammar") return editor::textmate_grammar();
  if (what == "machine") return machines_json();
  return {};
}

}  // namespace kumihimo::mncore2
