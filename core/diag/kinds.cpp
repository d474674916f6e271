// The rows of core's diagnostics. One row per rule; a code is given once and never again, also not after its
// row is gone. Bands: K00 process, K1 layouts, K20 checks of ops, K21 programs (IR text, structure), K6 the exact
// interpreter, K7 the public line. Targets register rows of their own with register_diagnostics: K3 assembly and
// hazards, K4 running machine code, K5 lowering, K8 placement rules.
#include "core/diag/kinds.h"

namespace kumihimo::diag {
namespace {

constexpr DiagDef kKinds[] = {
    // --- K00: the process ---------------------------------------------------------------------------------
    {"K0001", "unregistered_code", "a diagnostic must be raised with a registered code (a fault of the product)"},
    {"K0002", "internal", "an invariant of the product does not hold (a fault of the product)"},
    {"K0003", "file_access", "a file that is named must be readable, or writable where it is an output"},

    // --- K10: text of layouts -----------------------------------------------------------------------------
    {"K1001", "layout_syntax", "a layout is [shape/](dim, ...; tails)[@LOCATION][/DTYPE], a dim is (iters)"},
    {"K1002", "layout_unknown_axis", "an iter or tail names an axis that the machine has"},
    {"K1003", "layout_unknown_location", "the text after @ is a location of the machine"},
    {"K1004", "layout_unknown_dtype", "the text after the last / is a dtype"},
    {"K1005", "layout_number", "numbers in a layout are positive integers below 2^40"},
    {"K1006", "layout_too_long", "a layout has at most 16 dims and 128 iters and tails"},
    {"K1007", "layout_lane_extent",
     "an axis without a fixed extent is named without one only where the dtype gives it"},

    // --- K11: meaning of layouts --------------------------------------------------------------------------
    {"K1101", "layout_rank", "a layout has one tuple of iters for each dim of the shape"},
    {"K1102", "layout_dim_extent", "the product of a dim's iters is at least its extent"},
    {"K1103", "layout_axis_range", "the coordinates that iters and tails reach lie inside the axis"},
    {"K1104", "layout_digits_collide",
     "digits on one axis nest: the stride of each exceeds the span of the finer ones, so that no two indices meet"},
    {"K1105", "layout_tail_empty", "a tail that names a whole axis finds a part of it that no iter names"},
    {"K1106", "layout_tail_axis", "a tail stands on an axis where it has a meaning"},
    {"K1107", "layout_pad", "there is one pad= tail, and its value is a number or any"},
    {"K1108", "layout_size", "the points of a layout can be counted in 62 bits"},
    {"K1109", "layout_capacity", "the rows of a value fit into one instance of its location"},
    {"K1110", "layout_index", "an index has one entry per dim, each below the dim's extent"},
    {"K1111", "layout_lane_pattern", "a value changes its width only where its lanes fill whole groups"},
    {"K1112", "layout_shape", "the shape in a layout text equals the shape of the value"},
    {"K1113", "layout_reshape",
     "a reshape keeps the count of elements and cuts iters at whole factors, without padding"},
    {"K1114", "layout_slice", "a slice begins and ends at a multiple of a whole digit"},
    {"K1115", "layout_image", "a value has an image in its location"},
    {"K1116", "layout_compose",
     "the inner layout of a composition numbers elements of the outer one, and its digits fall on whole digits there"},
    {"K1117", "layout_complement", "a complement fills what a layout leaves with whole digits"},
    {"K1118", "layout_difference", "two layouts of one value can be told apart word by word"},

    // --- K20: ops, whatever the target --------------------------------------------------------------------
    {"K2001", "op_unknown", "an op has a name of the op table"},
    {"K2002", "op_operand_count", "an op takes exactly its operands"},
    {"K2003", "op_unknown_attr", "an attribute has a name that the op knows"},
    {"K2004", "op_missing_attr", "a required attribute is given"},
    {"K2005", "op_attr_kind", "an attribute has the kind that the op states"},
    {"K2006", "op_attr_value", "an attribute has one of its allowed values"},
    {"K2007", "op_unknown_dtype", "a dtype has a name of the dtype table"},
    {"K2008", "op_dtype", "operands have dtypes that the op works on"},
    {"K2009", "op_immediate", "an immediate stands only where an operand allows one, and not on every side"},
    {"K2010", "op_level", "an op of this level takes placed values"},
    {"K2011", "shape_extent", "extents lie between 1 and 2^40"},
    {"K2012", "shape_broadcast",
     "shapes broadcast when each pair of extents, aligned at the last dim, is equal or has a 1"},
    {"K2013", "linear_rank", "linear contracts values of at least two dims"},
    {"K2014", "linear_contracted_extent", "linear contracts the last dim of both sides, so their extents are equal"},
    {"K2015", "op_no_variant", "an application is legal when some variant of the target accepts it"},
    {"K2016", "op_unknown_variant", "a variant that is named belongs to the op on this target"},
    {"K2017", "op_duplicate_name", "inputs and outputs of a program have distinct names"},
    {"K2018", "target_unknown", "a target has a name of the target table and a version that this program reads"},
    {"K2019", "target_no_lowering", "a program is lowered for a target that has instructions"},

    // --- K21: programs ------------------------------------------------------------------------------------
    {"K2101", "ir_syntax", "the text of a program follows the grammar of LEIR"},
    {"K2102", "ir_node_id", "a node id names one living node of the module"},
    {"K2103", "ir_node_in_use", "a node is erased only when nothing uses it"},
    {"K2104", "ir_structure", "every operand is defined before its use, and every node stands in one body"},

    // --- K60: running -------------------------------------------------------------------------------------
    {"K6001", "run_missing_input", "every input of the program is given a value"},
    {"K6002", "run_unknown_input", "a value is given only for inputs that the program has"},
    {"K6003", "run_input_shape", "the value of an input has its shape and dtype"},
    {"K6004", "run_unknown_value_id", "the target has a function for the value id of every variant"},
    {"K6005", "run_interrupted", "a run goes on until the user interrupts it"},

    // --- K70: the public line -----------------------------------------------------------------------------
    {"K7001", "call_unknown_function", "a function that is called is registered"},
    {"K7002", "call_argument", "arguments have the kinds that the function's signature states"},
    {"K7003", "call_foreign", "a function registered from outside answers with status 0"},
    {"K7004", "call_function_taken", "a function is registered under a name that is free"},
};

}  // namespace

std::span<const DiagDef> core_kinds() { return kKinds; }

}  // namespace kumihimo::diag
