// The attention kernel of the variants, interpreter and exact tests: scores, scale, mask, row maximum, exponentials and
// row sum of every head, with the keys on MABs and addresses and the queries stationary.
//
// Query head = kv * groups_of + r. A kv head lies in one group of the machine; r and blocks of query rows lie on the
// L2Bs and L1Bs of the group. t is 64 or 128: the layouts of T = 128 differ in where rows and r lie.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "core/dispatch/target.h"
#include "core/driver/driver.h"
#include "targets/mncore2/target.h"

namespace kumihimo::testing {

struct AttentionLayouts {
  int64_t kv, r, d, t;
  std::string q, k, mask;     // declared
  std::string s, partial, m;  // expected of scores, of the row maximum before and after the upload
};

inline AttentionLayouts attention_layouts(int64_t t) {
  AttentionLayouts a{3, 3, 64, t, {}, {}, {}, {}, {}, {}};
  if (t == 64) {
    a.q = "(3,3,64,64)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1); B@[MAB])";
    a.k = "(3,1,64,64)/((4_L2B:2), (), (16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1); B@[2_L2B:1, L1B])";
    a.mask = "(64,64)/((4_L1B:1, 4_PE:1, 4_W:1), (16_MAB:1, 4:1); B@[L2B, 2_L1B:4])";
    a.s = "(3,3,64,64)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))";
    a.partial = "(3,3,64,1)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (); P>@[MAB])";
    a.m = "(3,3,64,1)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (); B@[MAB])";
  } else {
    a.q = "(3,3,128,64)/((4_L2B:2), (2_L2B:1, 2:64), (8_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1); B@[MAB])";
    a.k = "(3,1,128,64)/((4_L2B:2), (), (16_MAB:1, 8:1), (4:8, 4_PE:1, 4_W:1); B@[2_L2B:1, L1B])";
    a.mask = "(128,128)/((8_L1B:1, 4_PE:1, 4_W:1), (16_MAB:1, 8:1); B@[L2B])";
    a.s = "(3,3,128,128)/((4_L2B:2), (2_L2B:1, 2:16), (8_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 8:2))";
    a.partial = "(3,3,128,1)/((4_L2B:2), (2_L2B:1, 2:2), (8_L1B:1, 4_PE:1, 2:1, 2_W:1), (); P>@[MAB])";
    a.m = "(3,3,128,1)/((4_L2B:2), (2_L2B:1, 2:2), (8_L1B:1, 4_PE:1, 2:1, 2_W:1), (); B@[MAB])";
  }
  return a;
}

// Builds programs op by op and remembers values by the name they are given.
class Build {
 public:
  explicit Build(std::string_view target = "mncore2") : module_(make(target)), main_(&module_.add_function("main")) {}

  Module& module() { return module_; }
  const Function& main() const { return *main_; }

  Result<ValueId> try_apply(std::string_view op, std::vector<ValueId> operands, AttrMap attrs = {}) {
    return apply(module_, *main_, op, std::move(operands), std::move(attrs), {});
  }
  // Adds an application that must be accepted.
  ValueId add(std::string_view op, std::vector<ValueId> operands, AttrMap attrs = {}) {
    auto v = try_apply(op, std::move(operands), std::move(attrs));
    if (!v) {
      ADD_FAILURE() << render_text(v.error());
      throw std::runtime_error("refused");
    }
    return *v;
  }
  // The diagnostic of an application that must be refused.
  Diagnostic refused(std::string_view op, std::vector<ValueId> operands, AttrMap attrs = {}) {
    auto v = try_apply(op, std::move(operands), std::move(attrs));
    if (v) {
      ADD_FAILURE() << op << " was accepted: " << to_string(*module_.type(*v));
      return {};
    }
    return v.take_error();
  }
  ValueId tensor(std::string_view name, std::string_view dtype, std::vector<int64_t> shape, std::string_view layout,
                 std::string_view location = "DRAM") {
    return add("tensor", {}, tensor_attrs(name, dtype, std::move(shape), layout, location));
  }
  static AttrMap tensor_attrs(std::string_view name, std::string_view dtype, std::vector<int64_t> shape,
                              std::string_view layout, std::string_view location = "DRAM") {
    return {{"name", std::string(name)},
            {"dtype", std::string(dtype)},
            {"shape", std::move(shape)},
            {"layout", std::string(layout)},
            {"location", std::string(location)}};
  }
  ValueId immediate(double value, std::string_view dtype = "single") {
    return add("immediate_float", {}, {{"value", value}, {"dtype", std::string(dtype)}});
  }
  void output(ValueId v, std::string_view name) { (void)try_apply("output", {v}, {{"name", std::string(name)}}); }
  std::string text(ValueId v) const { return to_string(*module_.type(v)); }
  TypeRef type(ValueId v) const { return module_.type(v); }

 private:
  static Module make(std::string_view target) {
    register_in_tree_targets();
    const Target* t = find_target(target);
    return Module(std::string(target), t->version, t->tree);
  }
  Module module_;
  Function* main_;
};

struct Attention {
  Build b;
  AttentionLayouts layouts;
  ValueId q, k, mask, scores, scaled, masked, partial_max, up, maximum, difference, e, partial_sum, sum_up, sum;

  explicit Attention(int64_t t) : layouts(attention_layouts(t)) {
    const AttentionLayouts& a = layouts;
    ValueId k0 = b.tensor("k", "half", {a.kv, 1, t, a.d}, a.k);
    k = b.add("bf", {b.add("distribute_download", {b.add("broadcast_download", {k0})})});
    q = b.add("bf", {b.add("distribute_download", {b.tensor("q", "half", {a.kv, a.r, t, a.d}, a.q)})});
    mask = b.add("distribute_download", {b.tensor("mask", "bool_", {t, t}, a.mask)});
    scores = b.add("linear", {q, k}, {{"stationary", std::string("x")}});
    scaled = b.add("mul", {scores, b.immediate(0.125)});
    masked = b.add("where", {mask, scaled, b.immediate(-std::numeric_limits<double>::infinity())});
    partial_max = b.add("reduce_max", {masked}, {{"axis", int64_t{-1}}, {"keepdims", true}});
    up = b.add("reduce_upload", {partial_max});
    maximum = b.add("distribute_download", {up});
    difference = b.add("sub", {masked, maximum});
    e = b.add("exp", {difference});
    partial_sum = b.add("reduce_sum", {e}, {{"axis", int64_t{-1}}, {"keepdims", true}});
    sum_up = b.add("reduce_upload", {partial_sum});
    sum = b.add("distribute_download", {sum_up});
    b.output(scores, "scores");
    b.output(maximum, "maximum");
    b.output(e, "exponentials");
    b.output(sum, "sum");
  }
};

}  // namespace kumihimo::testing
