// The Python extension: the generic call of the C boundary as Python callables, objects and one exception.
//
//   apply = _core.function("module.apply")      looked up once
//   node = apply(module, "bf", "{}", "{}", "", 3)
//
// str and bytes go in as text or raw bytes; text comes back as str, raw bytes (functions whose signature ends in
// "-> bytes") as bytes. The GIL is released while the library works.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <memory>

#include "capi/include/kumihimo.hpp"

namespace nb = nanobind;
namespace api = kumihimo::api;

namespace {

// A reference to an object of the library.
struct Handle {
  api::Value value;
};

nb::object g_error_type;

struct Function {
  const kmh_function* function = nullptr;
  std::string name;
  bool bytes = false;  // the result is raw bytes
};

[[noreturn]] void raise(const api::Error& e) {
  nb::object instance = g_error_type(e.text(), e.json(), e.code(), e.status());
  PyErr_SetObject(g_error_type.ptr(), instance.ptr());
  throw nb::python_error();
}

kmh_value to_cell(nb::handle h) {
  PyObject* o = h.ptr();
  if (o == Py_None) return kmh_null();
  if (PyBool_Check(o)) return kmh_bool(o == Py_True);
  if (PyLong_Check(o)) {
    int overflow = 0;
    long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0) throw nb::value_error("an integer argument does not fit 64 bits");
    return kmh_int(v);
  }
  if (PyFloat_Check(o)) return kmh_float(PyFloat_AS_DOUBLE(o));
  auto sized = [](const char* p, Py_ssize_t n) {
    if (n > static_cast<Py_ssize_t>(UINT32_MAX)) throw nb::value_error("an argument is longer than 4 GiB");
    return kmh_string(p, static_cast<uint32_t>(n));
  };
  if (PyUnicode_Check(o)) {
    Py_ssize_t n = 0;
    const char* p = PyUnicode_AsUTF8AndSize(o, &n);
    if (p == nullptr) throw nb::python_error();
    return sized(p, n);
  }
  if (PyBytes_Check(o)) return sized(PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
  Handle* handle = nullptr;
  if (nb::try_cast<Handle*>(h, handle) && handle != nullptr) return handle->value.cell();
  throw nb::type_error("arguments are None, bool, int, float, str, bytes or objects of the library");
}

nb::object from_value(api::Value&& v, bool bytes) {
  switch (v.kind()) {
    case KMH_BOOL: return nb::bool_(v.boolean());
    case KMH_INT: return nb::int_(v.integer());
    case KMH_FLOAT: return nb::float_(v.number());
    case KMH_STRING: {
      std::string_view s = v.string();
      if (bytes) return nb::bytes(s.data(), s.size());
      return nb::steal(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogateescape"));
    }
    case KMH_OBJECT: return nb::cast(Handle{std::move(v)});
    default: return nb::none();
  }
}

nb::object call(const Function& f, nb::args args) {
  constexpr size_t kFew = 16;
  std::array<kmh_value, kFew> few;
  std::vector<kmh_value> many;
  size_t n = args.size();
  kmh_value* cells = few.data();
  if (n > kFew) {
    many.resize(n);
    cells = many.data();
  }
  for (size_t i = 0; i < n; ++i) cells[i] = to_cell(args[i]);
  api::Value out;
  try {
    nb::gil_scoped_release release;
    out = api::call_cells(f.function, cells, n);
  } catch (const api::Error& e) {
    raise(e);
  }
  return from_value(std::move(out), f.bytes);
}

Function function(const std::string& name, bool bytes) {
  Function f{kmh_find_function(name.data(), name.size()), name, bytes};
  if (f.function == nullptr) {
    try {
      api::call(name, {});  // says which names are near
    } catch (const api::Error& e) {
      raise(e);
    }
  }
  return f;
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The C boundary of Kumihimo";
  nb::class_<Handle>(m, "Object", "an object of the library").def_prop_ro("type_name", [](const Handle& h) {
    return std::string(kmh_object_type(h.value.object()));
  });
  nb::class_<Function>(m, "Function", "a function of the library")
      .def_ro("name", &Function::name)
      .def("__call__", &call);
  m.def("function", &function, nb::arg("name"), nb::arg("bytes") = false,
        "looks a function up; bytes = its result is raw bytes");
  m.def("version", [] { return std::string(kmh_version()); });
  m.def("abi_version", [] { return static_cast<int>(kmh_abi_version()); });
  m.def(
      "set_error_type", [](nb::object type) { g_error_type = std::move(type); },
      "the exception class for refusals: (text, json, code, status)");
  // The reference must go before the interpreter does.
  m.def("_forget_error_type", [] { g_error_type.reset(); });
}
