/* A session with the emulator as an outsider's C program has it: create, set, load, step, run, get, save, reset, restore.
 * Expected values are worked out by hand. The exit code is the verdict; every failed line is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capi/include/kumihimo.h"

static int g_failed = 0;
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      ++g_failed;                                                          \
    }                                                                      \
  } while (0)

static kmh_value text(const char* s) { return kmh_string(s, (uint32_t)strlen(s)); }

/* Calls; an error is printed, and the result is null. */
static kmh_value call(const char* name, const kmh_value* args, size_t count) {
  kmh_value out = kmh_null();
  kmh_error* error = NULL;
  if (kmh_call_name(name, strlen(name), args, count, &out, &error) != KMH_OK) {
    printf("%s: %s\n", name, kmh_error_text(error, NULL));
    ++g_failed;
    kmh_error_release(error);
  }
  return out;
}

/* The call is refused with this code. */
static int refused(const char* code, const char* name, const kmh_value* args, size_t count) {
  kmh_value out = kmh_null();
  kmh_error* error = NULL;
  const int32_t status = kmh_call_name(name, strlen(name), args, count, &out, &error);
  const int ok = status == KMH_INPUT_ERROR && strcmp(kmh_error_code(error, NULL), code) == 0;
  if (!ok) printf("%s: status %d %s\n", name, (int)status, kmh_error_text(error, NULL));
  kmh_error_release(error);
  kmh_release(&out);
  return ok;
}

/* Calls, and looks for a piece of text in the result. */
static int says(const char* what, const char* name, const kmh_value* args, size_t count) {
  kmh_value out = call(name, args, count);
  const int ok = out.kind == KMH_STRING && strstr(out.as.p, what) != NULL;
  if (!ok && out.kind == KMH_STRING) printf("%s gives %.*s\n", name, (int)out.size, out.as.p);
  kmh_release(&out);
  return ok;
}

static kmh_value emulator(const char* options) {
  kmh_value o = text(options);
  return call("mncore2.emulator", &o, 1);
}

/* Long word k of a place, or a value that no test expects. */
static uint64_t word(kmh_value session, const char* memory, const char* unit, int64_t address) {
  const kmh_value args[5] = {session, text(memory), text(unit), kmh_int(address), kmh_int(1)};
  kmh_value out = call("mncore2.emulator_read", args, 5);
  uint64_t w = 0xdeadbeef;
  if (out.kind == KMH_STRING && out.size == 8) memcpy(&w, out.as.p, 8);
  kmh_release(&out);
  return w;
}

/* (4,16) 64-bit integers, one row in each PE of every MAB. */
static const char* kPlace = "(4,16)/((4_PE:1), (16:1))@LM0";
static const char* kResult = "(4,16)/((4_PE:1), (16:1))@LM1";
static const char* kProgram =
    "linc $lm0v $ln0v\n"
    "ladd $lm8v $lm8v $ln8v\n"
    "nop/2\n"
    "linc $ln0 $lr0\n"
    "d getd $lr0n0c0b1m15p2 1\n";

static kmh_value loaded(const char* options) {
  kmh_value session = emulator(options);
  CHECK(session.kind == KMH_OBJECT && strcmp(kmh_object_type(session.as.o), "mncore2.emulator") == 0);
  int64_t values[64];
  for (int i = 0; i < 64; ++i) values[i] = 100 * (i / 16) + i % 16;
  const kmh_value set[5] = {session, text(kPlace), text("int64"), kmh_int(0),
                            kmh_string((const char*)values, sizeof values)};
  kmh_value out = call("mncore2.emulator_set_tensor", set, 5);
  CHECK(out.kind == KMH_NULL);
  const kmh_value load[3] = {session, text(kProgram), text("kernel.vsm")};
  CHECK(says("\"step\":0", "mncore2.emulator_load", load, 3));
  return session;
}

static void tensors_go_through_a_program(void) {
  kmh_value session = loaded("{\"machine\": \"mncore2-tiny\", \"threads\": 1}");
  /* The tensor stands in every MAB of both L1Bs: row p in PE p. */
  CHECK(word(session, "LM0", "n0c0b1m9p3", 5) == 305);
  const kmh_value run[2] = {session, kmh_int(-1)};
  CHECK(says("\"ended\":true", "mncore2.emulator_run", run, 2));
  const kmh_value get[4] = {session, text(kResult), text("int64"), kmh_int(0)};
  kmh_value tensors = call("mncore2.emulator_get_tensor", get, 4);
  CHECK(tensors.kind == KMH_OBJECT);
  const kmh_value bytes[2] = {tensors, text("value")};
  kmh_value out = call("tensors.bytes", bytes, 2);
  CHECK(out.kind == KMH_STRING && out.size == 64 * 8);
  int64_t seen[64] = {0};
  if (out.size == sizeof seen) memcpy(seen, out.as.p, sizeof seen);
  /* Long words 0 to 3 are x + 1, 4 to 7 are x + x, the rest was never written. */
  for (int i = 0; i < 64; ++i) {
    const int64_t k = i % 16, x = 100 * (i / 16) + k;
    CHECK(seen[i] == (k < 4 ? x + 1 : k < 8 ? 2 * x : 0));
  }
  kmh_release(&out);
  kmh_release(&tensors);
  kmh_release(&session);
}

static void a_run_in_steps(void) {
  kmh_value session = loaded("{\"machine\": \"mncore2-tiny\", \"threads\": 1}");
  const kmh_value one[2] = {session, kmh_int(1)};
  CHECK(says("\"steps\":1", "mncore2.emulator_run", one, 2));
  CHECK(word(session, "LM1", "n0c0b0m0p1", 2) == 103 && word(session, "LM1", "n0c0b0m0p1", 6) == 0);
  CHECK(says("\"text\":\"ladd $lm8v $lm8v $ln8v\"", "mncore2.emulator_state", &session, 1));
  const kmh_value two[2] = {session, kmh_int(2)};
  CHECK(says("\"steps\":2", "mncore2.emulator_run", two, 2));
  CHECK(says("\"step\":3", "mncore2.emulator_state", &session, 1)); /* inside nop/2 */
  CHECK(word(session, "LM1", "n0c0b0m0p1", 6) == 212);
  const kmh_value rest[4] = {session, kmh_int(-1), kmh_int(0), kmh_int(1)};
  CHECK(says("(0x00000000000000ca) #d getd $lr0n0c0b1m15p2 1", "mncore2.emulator_run", rest, 4)); /* 200 + 1 + 1 */
  CHECK(says("\"steps\":5", "mncore2.emulator_statistics", &session, 1));
  /* From the beginning again: the tensor is gone, the program stays. */
  kmh_value none = call("mncore2.emulator_reset", &session, 1);
  CHECK(none.kind == KMH_NULL);
  CHECK(word(session, "LM0", "n0c0b1m9p3", 5) == 0);
  CHECK(says("\"step\":0", "mncore2.emulator_state", &session, 1));
  CHECK(says("(0x0000000000000002) #d getd", "mncore2.emulator_run", &session, 1));
  kmh_release(&session);
}

static void a_checkpoint_goes_elsewhere(void) {
  kmh_value first = loaded("{\"machine\": \"mncore2-tiny\", \"threads\": 1}");
  const kmh_value half[2] = {first, kmh_int(2)};
  CHECK(says("\"steps\":2", "mncore2.emulator_run", half, 2));
  kmh_value state = call("mncore2.emulator_save", &first, 1);
  CHECK(state.kind == KMH_STRING && state.size > 1000);
  kmh_release(&first); /* the state does not need the session that made it */

  kmh_value second = emulator("{\"machine\": \"mncore2-tiny\", \"threads\": 2, \"path\": \"scalar\"}");
  const kmh_value load[2] = {second, text(kProgram)};
  CHECK(says("\"step\":0", "mncore2.emulator_load", load, 2));
  const kmh_value restore[2] = {second, state};
  CHECK(says("\"step\":2", "mncore2.emulator_restore", restore, 2));
  CHECK(says("(0x00000000000000ca) #d getd $lr0n0c0b1m15p2 1", "mncore2.emulator_run", &second, 1));
  /* Cut, it is refused. */
  const kmh_value cut[2] = {second, kmh_string(state.as.p, state.size - 1)};
  CHECK(refused("K4020", "mncore2.emulator_restore", cut, 2));
  kmh_release(&state);
  kmh_release(&second);
}

static void words_findings_and_changes(void) {
  kmh_value session = emulator("{\"machine\": \"mncore2-tiny\", \"strict\": true, \"threads\": 1}");
  const uint64_t words[2] = {0x0123456789abcdefu, 7};
  const kmh_value write[5] = {session, text("GRF0"), text("n0c0b0m0p0"), kmh_int(0),
                              kmh_string((const char*)words, sizeof words)};
  kmh_value none = call("mncore2.emulator_write", write, 5);
  CHECK(none.kind == KMH_NULL && word(session, "GRF0", "n0c0b0m0p0", 1) == 7);
  const kmh_value defined[5] = {session, text("GRF0"), text("n0c0b0m0p0"), kmh_int(0), kmh_int(3)};
  kmh_value lanes = call("mncore2.emulator_defined", defined, 5);
  CHECK(lanes.kind == KMH_STRING && lanes.size == 3 && memcmp(lanes.as.p, "\x0f\x0f\x00", 3) == 0);
  kmh_release(&lanes);
  const kmh_value trace[3] = {session, text("GRF1@pe0"), kmh_int(100)};
  none = call("mncore2.emulator_trace", trace, 3);
  const kmh_value load[2] = {session, text("linc $lr0 $ls0\nnop/2\nd get $ls0n0c0b0m0p0 1\nd get $ls0n0c0b0m0p1 1\n")};
  CHECK(says("\"loaded\":true", "mncore2.emulator_load", load, 2));
  CHECK(says("\"after\":\"0x0123456789abcdf0\"", "mncore2.emulator_run", &session, 1));
  /* PE 1 computed on what nobody wrote. */
  CHECK(says("K4014", "mncore2.emulator_findings", &session, 1));
  CHECK(says("n0c0b0m0p1", "mncore2.emulator_findings", &session, 1));
  kmh_release(&session);
}

static void refusals(void) {
  kmh_value session = emulator("{\"machine\": \"mncore2-tiny\", \"threads\": 1}");
  const kmh_value bad[3] = {session, text("nop\nfrobnicate\n"), text("bad.vsm")};
  CHECK(refused("K3001", "mncore2.emulator_load", bad, 3));
  CHECK(refused("K4021", "mncore2.emulator_run", &session, 1)); /* no program */
  const kmh_value outside[5] = {session, text("LM0"), text("n0c0b0m0p0"), kmh_int(2048), kmh_int(1)};
  CHECK(refused("K4003", "mncore2.emulator_read", outside, 5));
  const kmh_value many[5] = {session, text("DRAM"), text("n0"), kmh_int(0), kmh_int(((int64_t)1 << 20) + 1)};
  CHECK(refused("K7002", "mncore2.emulator_read", many, 5));
  const kmh_value options = text("{\"machine\": \"mncore3\"}");
  CHECK(refused("K7002", "mncore2.emulator", &options, 1));
  const kmh_value other = text("not a session");
  CHECK(refused("K7002", "mncore2.emulator_run", &other, 1));
  kmh_value none = call("mncore2.emulator_close", &session, 1);
  CHECK(none.kind == KMH_NULL);
  CHECK(refused("K4021", "mncore2.emulator_state", &session, 1));
  kmh_release(&session);
}

int main(void) {
  tensors_go_through_a_program();
  a_run_in_steps();
  a_checkpoint_goes_elsewhere();
  words_findings_and_changes();
  refusals();
  if (g_failed == 0) printf("emulator: all checks hold\n");
  return g_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
