#include "targets/mncore2/lower/bound.h"

#include <algorithm>

#include "core/layout/image.h"
#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/lower/emit_steps.h"
#include "targets/mncore2/lower/hops.h"
#include "targets/mncore2/lower/rows.h"
#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2::lower {
namespace {

// Long words of one PE that a value has: the points that remain when levels and lanes run in parallel.
double long_words(TypeRef t) { return static_cast<double>(address_points(*t->layout).size()); }

class Counter {
 public:
  Counter(const Module& module, const MachineConfig& machine) : m_(module), machine_(machine) {}

  Status node(const Node& n) {
    if (n.op == "linear") {
      linear(n);
    } else if (n.op == "add" || n.op == "sub" || n.op == "mul") {
      mau_ += vector_cycles(n.results[0], 1);
    } else if (n.op == "max") {
      alu_ += long_words(n.results[0]);
    } else if (n.op == "where" || n.op == "bf") {
      // The ALU copies and block-converts double long words.
      alu_ += long_words(n.results[0]) / 2;
    } else if (n.op == "relayout") {
      alu_ += long_words(n.results[0]) / 2;
    } else if (n.op == "cast") {
      alu_ += long_words(m_.type(n.operands[0])) / 2;
    } else if (n.op == "exp") {
      StepCounts per_element = count_steps(num::exp_steps());
      mau_ += vector_cycles(n.results[0], per_element.mau);
      alu_ += long_words(n.results[0]) * per_element.alu;
    } else if (n.op == "reduce_max" || n.op == "reduce_sum") {
      double folds = long_words(m_.type(n.operands[0])) - long_words(n.results[0]);
      (n.op == "reduce_max" ? alu_ : mau_) += folds;
    } else if (n.op == "reduce_upload") {
      l1bm_ += long_words(n.results[0]) / 2;
    } else if (n.op.ends_with("_download")) {
      return download(n);
    }
    return Ok{};
  }

  Bound bound() const {
    Bound b;
    b.units = {{"MAU", mau_}, {"ALU", alu_}, {"L1BM", l1bm_}, {"L2BM", l2bm_}, {"MV", mv_}};
    b.without_mv = std::max({mau_, alu_, l1bm_, l2bm_});
    b.with_mv = std::max(b.without_mv, mv_);
    return b;
  }

 private:
  // A vector operation of singles works on vector_fma_f elements of a MAB per cycle.
  double vector_cycles(TypeRef t, double operations) const {
    double lanes = 64.0 / dtype_def(t->dtype).bits;
    double per_pe = static_cast<double>(machine_.vector_fma_f) / static_cast<double>(machine_.pes_per_mab);
    return long_words(t) * lanes * operations / per_pe;
  }

  void linear(const Node& n) {
    TypeRef x = m_.type(n.operands[0]);
    int rank = static_cast<int>(n.results[0]->layout->dims.size());
    double batch = 1;
    for (int d = 0; d < rank - 2; ++d) batch *= static_cast<double>(address_offsets(*n.results[0]->layout, d).size());
    const Layout& xl = *x->layout;
    const Layout& wl = *m_.type(n.operands[1])->layout;
    auto count = [](const Layout& l, int from_end) {
      return static_cast<double>(address_offsets(l, static_cast<int>(l.dims.size()) - from_end).size());
    };
    // A contracted block is one address: four lanes of four PEs.
    double block = 4.0 * static_cast<double>(machine_.pes_per_mab);
    double fmas = batch * count(xl, 2) * count(wl, 2) * count(xl, 1) * block;
    mau_ += fmas / static_cast<double>(machine_.matrix_fma_h);
  }

  Status download(const Node& n) {
    TypeRef from = m_.type(n.operands[0]);
    TypeRef to = n.results[0];
    auto size = [&](std::string_view location) {
      return image_lw(*from->layout, *from->tree, from->tree->find_location(location), dtype_def(from->dtype).bits);
    };
    const int begin = depth_of(*from), end = depth_of(*to);
    if (begin == 0) {
      auto lw = size("DRAM");
      if (!lw) return lw.take_error();
      const isa::InsnDef* row = isa::find_row(hop_is_named(*from, "DRAM", "L2B") ? "mvp" : "mvb2",
                                              hop_is_named(*from, "DRAM", "L2B") ? "d>lc@.s" : "d>lc");
      mv_ += static_cast<double>(*lw) / row->mv.rate;
    }
    if (begin <= 1 && end >= 2) {
      auto lw = size("L1BM");
      if (!lw) return lw.take_error();
      const isa::InsnDef* row = isa::find_row(hop_is_named(*from, "L2BM", "L1B") ? "l2bmd" : "l2bmb", "down");
      l2bm_ += static_cast<double>(*lw) / row->l2bm.run;
    }
    if (end == 3) {
      // Rows of one PE per cycle: two with double long words, which exist for l1bmm only.
      bool pairs = !hop_is_named(*from, "L1BM", "MAB") && hop_is_named(*from, "L1BM", "PE");
      l1bm_ += long_words(to) / (pairs ? 2 : 1);
    }
    return Ok{};
  }

  const Module& m_;
  const MachineConfig& machine_;
  double mau_ = 0, alu_ = 0, l1bm_ = 0, l2bm_ = 0, mv_ = 0;
};

}  // namespace

Result<Bound> bound_of(const Module& module, const Function& function, const Target& target) {
  Counter counter(module, *find_machine(target.name));
  for (NodeId id : function.body)
    if (auto s = counter.node(module.node(id)); !s) return s.take_error();
  return counter.bound();
}

}  // namespace kumihimo::mncore2::lower
