/* The boundary as an outsider's C program sees it: cells, ownership, errors, functions registered from outside. The exit
 * code is the verdict; every failed line is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capi/include/kumihimo.h"

_Static_assert(sizeof(kmh_value) == 16, "a cell has 16 bytes");
_Static_assert(offsetof(kmh_value, kind) == 0, "kind first");
_Static_assert(offsetof(kmh_value, size) == 4, "then the size");
_Static_assert(offsetof(kmh_value, as) == 8, "then the payload");
_Static_assert(sizeof(((kmh_value*)0)->as) == 8, "of 8 bytes");
_Static_assert(KMH_NULL == 0 && KMH_BOOL == 1 && KMH_INT == 2 && KMH_FLOAT == 3 && KMH_STRING == 4 && KMH_OBJECT == 5,
               "kinds never change");
_Static_assert(KMH_OK == 0 && KMH_INPUT_ERROR == 1 && KMH_INTERNAL_ERROR == 3, "statuses never change");

static int g_failed = 0;
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) {                                                    \
      printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      ++g_failed;                                                          \
    }                                                                      \
  } while (0)

static kmh_value text(const char* s) { return kmh_string(s, (uint32_t)strlen(s)); }

static int32_t call(const char* name, const kmh_value* args, size_t count, kmh_value* out, kmh_error** error) {
  return kmh_call_name(name, strlen(name), args, count, out, error);
}

static int holds(const char* (*field)(const kmh_error*, size_t*), const kmh_error* error, const char* what) {
  size_t size = 0;
  const char* s = field(error, &size);
  return strlen(s) == size && strstr(s, what) != NULL;
}

static void cells(void) {
  kmh_value b = kmh_bool(7), i = kmh_int(-3), f = kmh_float(0.5), s = kmh_string("ab", 2), n = kmh_null();
  CHECK(b.kind == KMH_BOOL && b.as.i == 1 && b.size == 0);
  CHECK(i.kind == KMH_INT && i.as.i == -3 && i.size == 0);
  CHECK(f.kind == KMH_FLOAT && f.as.f == 0.5 && f.size == 0);
  CHECK(s.kind == KMH_STRING && s.size == 2 && s.as.p[1] == 'b');
  CHECK(n.kind == KMH_NULL && n.as.raw == 0);
  CHECK(kmh_abi_version() >= KMH_ABI_VERSION);
  CHECK(strlen(kmh_version()) > 0);
}

static void results_are_owned(void) {
  kmh_value args[2] = {text("(64)/((16:1, 4_W:1))"), text("mncore2")};
  kmh_value out = kmh_int(99);
  kmh_error* error = (kmh_error*)&out; /* any value: it must be overwritten */
  CHECK(call("layout.parse", args, 2, &out, &error) == KMH_OK);
  CHECK(error == NULL);
  CHECK(out.kind == KMH_STRING && out.size == strlen(out.as.p));
  CHECK(strstr(out.as.p, "\"rows\":16") != NULL);
  kmh_release(&out);
  CHECK(out.kind == KMH_NULL && out.size == 0 && out.as.raw == 0);
  kmh_release(&out); /* a null cell owns nothing */
  kmh_release(NULL);
  /* A result that nobody wants is given back by the library. */
  CHECK(call("layout.parse", args, 2, NULL, NULL) == KMH_OK);
}

static void errors_are_owned(void) {
  kmh_value args[2] = {text("(64)/((16_MAP:1, 4_W:1))"), text("mncore2")};
  kmh_value out = kmh_int(99);
  kmh_error* error = NULL;
  CHECK(call("layout.parse", args, 2, &out, &error) == KMH_INPUT_ERROR);
  CHECK(out.kind == KMH_NULL);
  CHECK(error != NULL);
  CHECK(holds(kmh_error_code, error, "K1002"));
  CHECK(holds(kmh_error_text, error, "MAP"));
  CHECK(holds(kmh_error_json, error, "\"code\":\"K1002\""));
  CHECK(kmh_error_text(error, NULL) != NULL);
  /* The error stays what it is while other calls succeed and fail. */
  kmh_error* other = NULL;
  CHECK(call("no.such.function", NULL, 0, &out, &other) == KMH_INPUT_ERROR);
  CHECK(holds(kmh_error_code, other, "K7001") && holds(kmh_error_text, other, "no.such.function"));
  CHECK(holds(kmh_error_code, error, "K1002"));
  kmh_error_release(other);
  kmh_error_release(error);
  kmh_error_release(NULL);
  CHECK(call("layout.parse", args, 2, NULL, NULL) == KMH_INPUT_ERROR);
  size_t size = 1;
  CHECK(strcmp(kmh_error_text(NULL, &size), "") == 0 && size == 0);
}

static void objects_are_counted(void) {
  kmh_value target = text("mncore2");
  kmh_value module = kmh_null();
  CHECK(call("module.new", &target, 1, &module, NULL) == KMH_OK);
  CHECK(module.kind == KMH_OBJECT && strcmp(kmh_object_type(module.as.o), "module") == 0);
  kmh_object* object = module.as.o;
  kmh_object_retain(object);
  kmh_release(&module); /* one reference is left */
  kmh_value borrowed = kmh_null();
  borrowed.kind = KMH_OBJECT;
  borrowed.as.o = object;
  for (int i = 0; i < 3; ++i) {
    kmh_value printed = kmh_null();
    CHECK(call("module.print", &borrowed, 1, &printed, NULL) == KMH_OK);
    CHECK(printed.kind == KMH_STRING && strncmp(printed.as.p, "leir 1 target=mncore2/", 22) == 0);
    kmh_release(&printed);
  }
  kmh_object_release(object);
  kmh_object_retain(NULL);
  kmh_object_release(NULL);
  CHECK(strcmp(kmh_object_type(NULL), "") == 0);
}

static void wrong_cells_are_refused(void) {
  kmh_value args[2] = {kmh_int(5), text("mncore2")};
  kmh_value out = kmh_null();
  kmh_error* error = NULL;
  CHECK(call("layout.parse", args, 2, &out, &error) == KMH_INPUT_ERROR);
  CHECK(holds(kmh_error_code, error, "K7002"));
  CHECK(holds(kmh_error_text, error, "an integer") && holds(kmh_error_text, error, "a string"));
  CHECK(holds(kmh_error_text, error, "layout.parse(text: str"));
  kmh_error_release(error);
  args[0] = kmh_null();
  args[0].kind = 77;
  CHECK(call("layout.parse", args, 2, &out, &error) == KMH_INPUT_ERROR);
  CHECK(holds(kmh_error_text, error, "kind 77"));
  kmh_error_release(error);
  args[0] = kmh_string(NULL, 4);
  CHECK(call("layout.parse", args, 2, &out, &error) == KMH_INPUT_ERROR);
  kmh_error_release(error);
  args[0].kind = KMH_OBJECT;
  args[0].as.o = NULL;
  CHECK(call("layout.parse", args, 2, &out, &error) == KMH_INPUT_ERROR);
  kmh_error_release(error);
  CHECK(call("layout.parse", NULL, 0, &out, &error) == KMH_INPUT_ERROR); /* too few */
  kmh_error_release(error);
  CHECK(call("layout.parse", NULL, 2, &out, &error) == KMH_INPUT_ERROR); /* no cells at all */
  kmh_error_release(error);
  CHECK(kmh_call(NULL, NULL, 0, &out, &error) == KMH_INPUT_ERROR);
  kmh_error_release(error);
  CHECK(kmh_find_function("layout.pars", 11) == NULL && kmh_find_function(NULL, 0) == NULL);
  CHECK(kmh_find_function("layout.parse and more", 12) != NULL); /* the length counts, not a zero */
  /* An object of another type. */
  kmh_value tensors = kmh_null();
  CHECK(call("tensors.new", NULL, 0, &tensors, NULL) == KMH_OK);
  CHECK(call("module.print", &tensors, 1, &out, &error) == KMH_INPUT_ERROR);
  CHECK(holds(kmh_error_text, error, "module"));
  kmh_error_release(error);
  kmh_release(&tensors);
}

static void bytes_may_hold_zeros(void) {
  kmh_value tensors = kmh_null();
  CHECK(call("tensors.new", NULL, 0, &tensors, NULL) == KMH_OK);
  const char raw[8] = {0, 1, 0, 0, (char)0xff, 0, 0, 0};
  kmh_value set[5] = {tensors, text("x"), text("single"), text("[2]"), kmh_string(raw, 8)};
  kmh_value out = kmh_null();
  CHECK(call("tensors.set", set, 5, &out, NULL) == KMH_OK && out.kind == KMH_NULL);
  kmh_value get[2] = {tensors, text("x")};
  CHECK(call("tensors.bytes", get, 2, &out, NULL) == KMH_OK);
  CHECK(out.kind == KMH_STRING && out.size == 8 && memcmp(out.as.p, raw, 8) == 0);
  kmh_release(&out);
  kmh_value owned = kmh_new_string(raw, 8);
  CHECK(owned.kind == KMH_STRING && owned.size == 8 && owned.as.p != raw && memcmp(owned.as.p, raw, 8) == 0);
  kmh_release(&owned);
  owned = kmh_new_string(NULL, 0);
  CHECK(owned.kind == KMH_STRING && owned.size == 0);
  kmh_release(&owned);
  owned = kmh_new_string(raw, (size_t)1 << 33); /* refused before it is read */
  CHECK(owned.kind == KMH_NULL);
  kmh_release(&tensors);
}

/* ---- functions from outside ---- */

static int32_t sum(void* context, const kmh_value* args, size_t count, kmh_value* result) {
  int64_t total = *(const int64_t*)context;
  for (size_t i = 0; i < count; ++i) {
    if (args[i].kind != KMH_INT) {
      *result = kmh_new_string("only integers are summed", 24);
      return KMH_INPUT_ERROR;
    }
    total += args[i].as.i;
  }
  *result = kmh_int(total);
  return KMH_OK;
}

static int32_t echo(void* context, const kmh_value* args, size_t count, kmh_value* result) {
  (void)context;
  (void)count;
  *result = kmh_new_string(args[0].as.p, args[0].size);
  return KMH_OK;
}

static int32_t silent_failure(void* context, const kmh_value* args, size_t count, kmh_value* result) {
  (void)context;
  (void)args;
  (void)count;
  (void)result;
  return 42;
}

static int32_t add_function(const char* name, kmh_callback f, void* context, kmh_error** error) {
  return kmh_register_function(name, strlen(name), "(*values: int) -> int", 21, "a sum", 5, f, context, error);
}

static void functions_from_outside(void) {
  static int64_t start = 100;
  kmh_error* error = NULL;
  CHECK(add_function("test.sum", sum, &start, &error) == KMH_OK && error == NULL);
  CHECK(add_function("test.echo", echo, NULL, NULL) == KMH_OK);
  CHECK(add_function("test.silent", silent_failure, NULL, NULL) == KMH_OK);
  kmh_value args[2] = {kmh_int(2), kmh_int(-5)};
  kmh_value out = kmh_null();
  CHECK(call("test.sum", args, 2, &out, NULL) == KMH_OK && out.kind == KMH_INT && out.as.i == 97);
  start = 0; /* the context is borrowed */
  CHECK(call("test.sum", args, 2, &out, NULL) == KMH_OK && out.as.i == -3);
  args[1] = text("five");
  CHECK(call("test.sum", args, 2, &out, &error) == KMH_INPUT_ERROR && out.kind == KMH_NULL);
  CHECK(holds(kmh_error_code, error, "K7003") && holds(kmh_error_text, error, "only integers are summed"));
  kmh_error_release(error);
  const char raw[3] = {'a', 0, 'b'};
  args[0] = kmh_string(raw, 3);
  CHECK(call("test.echo", args, 1, &out, NULL) == KMH_OK && out.size == 3 && memcmp(out.as.p, raw, 3) == 0);
  kmh_release(&out);
  CHECK(call("test.silent", NULL, 0, &out, &error) == KMH_INPUT_ERROR && holds(kmh_error_text, error, "42"));
  kmh_error_release(error);
  /* A name is given once, whoever holds it. */
  CHECK(add_function("test.sum", sum, NULL, &error) == KMH_INPUT_ERROR && holds(kmh_error_code, error, "K7004"));
  kmh_error_release(error);
  CHECK(add_function("layout.parse", sum, NULL, &error) == KMH_INPUT_ERROR && holds(kmh_error_code, error, "K7004"));
  kmh_error_release(error);
  CHECK(add_function("", sum, NULL, &error) == KMH_INPUT_ERROR);
  kmh_error_release(error);
  CHECK(add_function("test.null", NULL, NULL, &error) == KMH_INPUT_ERROR);
  kmh_error_release(error);
  CHECK(kmh_find_function("test.null", 9) == NULL);
}

int main(void) {
  cells();
  results_are_owned();
  errors_are_owned();
  objects_are_counted();
  wrong_cells_are_refused();
  bytes_may_hold_zeros();
  functions_from_outside();
  if (g_failed == 0) printf("boundary: all checks hold\n");
  return g_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
