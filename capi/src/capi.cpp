// The C boundary over the function registry: cells to values and back, errors as objects, no exception across.
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "capi/include/kumihimo.h"
#include "core/dispatch/function.h"
#include "core/driver/driver.h"

using kumihimo::Diagnostic;
using kumihimo::FunctionDef;
using kumihimo::Object;
using kumihimo::Result;
using kumihimo::Value;

struct kmh_object {
  std::atomic<int64_t> references{1};
  std::shared_ptr<Object> object;
  std::string type;
};

struct kmh_error {
  std::string text, json, code;
};

namespace {

static_assert(sizeof(kmh_value) == 16);

// An owned string: a header in front of the bytes that the cell points to.
struct OwnedString {
  size_t size;
};
char* new_bytes(const char* bytes, size_t size) {
  auto* block = static_cast<char*>(::operator new(sizeof(OwnedString) + size + 1));
  new (block) OwnedString{size};
  char* data = block + sizeof(OwnedString);
  if (size != 0) std::memcpy(data, bytes, size);
  data[size] = 0;
  return data;
}

// A function that the outside registered.
struct Foreign {
  std::string name, signature, doc;
  kmh_callback call = nullptr;
  void* context = nullptr;
};
struct ForeignTable {
  std::mutex mutex;
  std::deque<Foreign> rows;  // entries never move
};
ForeignTable& foreign_table() {
  static ForeignTable* t = new ForeignTable;
  return *t;
}

// Without memory for the error object there is none, and the status alone tells.
int32_t fail(kmh_error** error, const Diagnostic& d, int32_t status) noexcept {
  if (!error) return status;
  try {
    auto e = std::make_unique<kmh_error>();
    e->text = kumihimo::render_text(d);
    e->json = kumihimo::render_json(d);
    e->code = d.def ? std::string(d.def->code) : std::string();
    *error = e.release();
  } catch (...) {}
  return status;
}

int32_t fail_internal(kmh_error** error, const char* what) noexcept {
  try {
    Diagnostic d = kumihimo::make_error("internal", std::string("a fault of the library: ") + what);
    d.observed = what;
    d.required = "no exception";
    return fail(error, d, KMH_INTERNAL_ERROR);
  } catch (...) {
    return KMH_INTERNAL_ERROR;
  }
}

Result<Value> to_value(const kmh_value& cell, size_t i) {
  switch (cell.kind) {
    case KMH_NULL: return Value{std::monostate{}};
    case KMH_BOOL: return Value{cell.as.i != 0};
    case KMH_INT: return Value{cell.as.i};
    case KMH_FLOAT: return Value{cell.as.f};
    case KMH_STRING:
      if (cell.size != 0 && cell.as.p == nullptr)
        return kumihimo::bad_argument(i, "a string cell without bytes", "a pointer to its bytes");
      return Value{std::string(cell.size != 0 ? cell.as.p : "", cell.size)};
    case KMH_OBJECT:
      if (cell.as.o == nullptr) return kumihimo::bad_argument(i, "an object cell without an object", "an object");
      return Value{cell.as.o->object};
    default: return kumihimo::bad_argument(i, "a cell of kind " + std::to_string(cell.kind), "a kind from 0 to 5");
  }
}

int32_t to_cell(Value&& value, kmh_value* out, kmh_error** error) {
  kmh_value cell = kmh_null();
  if (const auto* b = std::get_if<bool>(&value)) cell = kmh_bool(*b);
  if (const auto* n = std::get_if<int64_t>(&value)) cell = kmh_int(*n);
  if (const auto* f = std::get_if<double>(&value)) cell = kmh_float(*f);
  if (const auto* s = std::get_if<std::string>(&value)) {
    if (s->size() > std::numeric_limits<uint32_t>::max()) return fail_internal(error, "a result is longer than 4 GiB");
    cell.kind = KMH_STRING;
    cell.size = static_cast<uint32_t>(s->size());
    cell.as.p = new_bytes(s->data(), s->size());
  }
  if (auto* o = std::get_if<std::shared_ptr<Object>>(&value); o && *o) {
    auto* object = new kmh_object;
    object->type = std::string((*o)->type_name());
    object->object = std::move(*o);
    cell.kind = KMH_OBJECT;
    cell.as.o = object;
  }
  if (out) {
    *out = cell;
  } else {
    kmh_release(&cell);
  }
  return KMH_OK;
}

Result<Value> call_foreign(const Foreign& f, const kmh_value* args, size_t count) {
  kmh_value out = kmh_null();
  int32_t status = f.call(f.context, args, count, &out);
  if (status == KMH_OK) {
    auto v = to_value(out, 0);
    kmh_release(&out);
    return v;
  }
  Diagnostic d = kumihimo::make_error("call_foreign", f.name + " failed");
  d.observed = out.kind == KMH_STRING && out.as.p != nullptr ? std::string(out.as.p, out.size)
                                                             : "status " + std::to_string(status);
  d.required = "status 0";
  kmh_release(&out);
  return d;
}

const Foreign* find_in(const ForeignTable& t, std::string_view name) {
  for (const Foreign& f : t.rows)
    if (f.name == name) return &f;
  return nullptr;
}
const Foreign* find_foreign(std::string_view name) {
  ForeignTable& t = foreign_table();
  std::lock_guard lock(t.mutex);
  return find_in(t, name);
}

// A handle is the address of a row of one of the two tables; the tag tells which.
constexpr uintptr_t kForeignTag = 1;
const kmh_function* handle_of(const FunctionDef* d) { return reinterpret_cast<const kmh_function*>(d); }
const kmh_function* handle_of(const Foreign* f) {
  return reinterpret_cast<const kmh_function*>(reinterpret_cast<uintptr_t>(f) | kForeignTag);
}

}  // namespace

extern "C" {

uint32_t kmh_abi_version(void) { return KMH_ABI_VERSION; }
const char* kmh_version(void) { return KUMIHIMO_VERSION_TEXT; }

const kmh_function* kmh_find_function(const char* name, size_t name_size) {
  try {
    kumihimo::initialise();
    std::string_view n(name, name_size);
    if (const FunctionDef* d = kumihimo::find_function_def(n)) return handle_of(d);
    if (const Foreign* f = find_foreign(n)) return handle_of(f);
  } catch (...) {
    // Out of memory while the tables are filled: no function can be found.
  }
  return nullptr;
}

int32_t kmh_call(const kmh_function* function, const kmh_value* args, size_t count, kmh_value* result,
                 kmh_error** error) {
  if (error) *error = nullptr;
  if (result) *result = kmh_null();
  try {
    if (function == nullptr)
      return fail(error, kumihimo::bad_argument(0, "no function", "a handle of kmh_find_function"), KMH_INPUT_ERROR);
    if (args == nullptr && count != 0)
      return fail(error, kumihimo::bad_argument(0, "no cells", "as many cells as the count says"), KMH_INPUT_ERROR);
    auto bits = reinterpret_cast<uintptr_t>(function);
    Result<Value> out = Value{};
    if ((bits & kForeignTag) != 0) {
      out = call_foreign(*reinterpret_cast<const Foreign*>(bits & ~kForeignTag), args, count);
    } else {
      std::vector<Value> values;
      values.reserve(count);
      for (size_t i = 0; i < count; ++i) {
        auto v = to_value(args[i], i);
        if (!v) return fail(error, v.error(), KMH_INPUT_ERROR);
        values.push_back(std::move(*v));
      }
      const auto* def = reinterpret_cast<const FunctionDef*>(function);
      out = def->call(values);
      if (!out && out.error().op.empty() && out.error().def && out.error().def->name == "call_argument") {
        Diagnostic d = out.error();
        d.op = std::string(def->name);
        d.bound.emplace_back("signature", std::string(def->name) + std::string(def->signature));
        return fail(error, d, KMH_INPUT_ERROR);
      }
    }
    if (!out) return fail(error, out.error(), KMH_INPUT_ERROR);
    return to_cell(std::move(*out), result, error);
  } catch (const std::bad_alloc&) {
    return fail_internal(error, "out of memory");
  } catch (const std::exception& e) {
    return fail_internal(error, e.what());
  } catch (...) {
    return fail_internal(error, "an exception of unknown type");
  }
}

int32_t kmh_call_name(const char* name, size_t name_size, const kmh_value* args, size_t count, kmh_value* result,
                      kmh_error** error) {
  if (const kmh_function* f = kmh_find_function(name, name_size)) return kmh_call(f, args, count, result, error);
  if (error) *error = nullptr;
  if (result) *result = kmh_null();
  try {
    Diagnostic d = kumihimo::unknown_function(std::string_view(name, name_size));
    return fail(error, d, KMH_INPUT_ERROR);
  } catch (...) {
    return KMH_INTERNAL_ERROR;
  }
}

void kmh_release(kmh_value* value) {
  if (value == nullptr) return;
  if (value->kind == KMH_STRING && value->as.p != nullptr)
    ::operator delete(const_cast<char*>(value->as.p) - sizeof(OwnedString));
  if (value->kind == KMH_OBJECT) kmh_object_release(value->as.o);
  *value = kmh_null();
}

void kmh_object_retain(kmh_object* object) {
  if (object) object->references.fetch_add(1, std::memory_order_relaxed);
}

void kmh_object_release(kmh_object* object) {
  if (object && object->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
}

const char* kmh_object_type(const kmh_object* object) { return object ? object->type.c_str() : ""; }

// No error object has empty texts.
static const char* text_of(const kmh_error* error, const std::string kmh_error::*field, size_t* size) {
  if (size) *size = error ? (error->*field).size() : 0;
  return error ? (error->*field).c_str() : "";
}
const char* kmh_error_text(const kmh_error* error, size_t* size) { return text_of(error, &kmh_error::text, size); }
const char* kmh_error_json(const kmh_error* error, size_t* size) { return text_of(error, &kmh_error::json, size); }
const char* kmh_error_code(const kmh_error* error, size_t* size) { return text_of(error, &kmh_error::code, size); }
void kmh_error_release(kmh_error* error) { delete error; }

int32_t kmh_register_function(const char* name, size_t name_size, const char* signature, size_t signature_size,
                              const char* doc, size_t doc_size, kmh_callback call, void* context, kmh_error** error) {
  if (error) *error = nullptr;
  try {
    std::string n(name, name_size);
    if (n.empty() || call == nullptr)
      return fail(error, kumihimo::bad_argument(0, "no name or no callback", "a name and a callback"), KMH_INPUT_ERROR);
    kumihimo::initialise();
    ForeignTable& t = foreign_table();
    std::lock_guard lock(t.mutex);
    if (kumihimo::find_function_def(n) != nullptr || find_in(t, n) != nullptr) {
      Diagnostic d = kumihimo::make_error("call_function_taken", "there is a function " + n + " already");
      d.observed = n;
      d.required = "a new name";
      return fail(error, d, KMH_INPUT_ERROR);
    }
    t.rows.push_back({std::move(n), std::string(signature, signature_size), std::string(doc, doc_size), call, context});
    return KMH_OK;
  } catch (const std::exception& e) {
    return fail_internal(error, e.what());
  } catch (...) {
    return fail_internal(error, "an exception of unknown type");
  }
}

kmh_value kmh_new_string(const char* bytes, size_t size) {
  kmh_value v = kmh_null();
  if (size > std::numeric_limits<uint32_t>::max() || (bytes == nullptr && size != 0)) return v;
  try {
    v.as.p = new_bytes(bytes, size);
    v.kind = KMH_STRING;
    v.size = static_cast<uint32_t>(size);
  } catch (...) {
    // Out of memory: the null cell.
  }
  return v;
}

}  // extern "C"
