// C++ over kumihimo.h: the same calls with owners, strings and exceptions. Header only.
//
//   kumihimo::api::Value m = kumihimo::api::call("module.new", {"mncore2"});
//   std::string text = kumihimo::api::call("module.print", {m, true}).string();
//
// An error of the library is thrown as Error, which holds its text, JSON and code.
#pragma once

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kumihimo.h"

namespace kumihimo::api {

class Error : public std::exception {
 public:
  Error(int32_t status, kmh_error* error) : status_(status) {
    if (error == nullptr) return;
    size_t n = 0;
    const char* p = kmh_error_text(error, &n);
    text_.assign(p, n);
    p = kmh_error_json(error, &n);
    json_.assign(p, n);
    p = kmh_error_code(error, &n);
    code_.assign(p, n);
    kmh_error_release(error);
  }
  const char* what() const noexcept override { return text_.c_str(); }
  int32_t status() const { return status_; }
  const std::string& text() const { return text_; }
  const std::string& json() const { return json_; }
  const std::string& code() const { return code_; }

 private:
  int32_t status_;
  std::string text_, json_, code_;
};

// An owned cell.
class Value {
 public:
  Value() : cell_(kmh_null()) {}
  Value(bool b) : cell_(kmh_bool(b)) {}
  Value(int i) : cell_(kmh_int(i)) {}
  Value(int64_t i) : cell_(kmh_int(i)) {}
  Value(double f) : cell_(kmh_float(f)) {}
  Value(std::string_view s) : cell_(kmh_new_string(s.data(), s.size())) {}
  Value(const char* s) : Value(std::string_view(s)) {}
  Value(const std::string& s) : Value(std::string_view(s)) {}
  static Value adopt(kmh_value cell) {
    Value v;
    v.cell_ = cell;
    return v;
  }
  Value(const Value& other) : cell_(other.cell_) {
    if (cell_.kind == KMH_OBJECT) kmh_object_retain(cell_.as.o);
    if (cell_.kind == KMH_STRING) cell_ = kmh_new_string(cell_.as.p, cell_.size);
  }
  Value(Value&& other) noexcept : cell_(std::exchange(other.cell_, kmh_null())) {}
  Value& operator=(Value other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  ~Value() { kmh_release(&cell_); }

  uint32_t kind() const { return cell_.kind; }
  bool is_null() const { return cell_.kind == KMH_NULL; }
  bool boolean() const { return cell_.as.i != 0; }
  int64_t integer() const { return cell_.as.i; }
  double number() const { return cell_.kind == KMH_FLOAT ? cell_.as.f : static_cast<double>(cell_.as.i); }
  std::string_view string() const {
    return cell_.kind == KMH_STRING ? std::string_view(cell_.as.p, cell_.size) : std::string_view();
  }
  kmh_object* object() const { return cell_.kind == KMH_OBJECT ? cell_.as.o : nullptr; }
  const kmh_value& cell() const { return cell_; }

 private:
  kmh_value cell_;
};

// Calls with borrowed cells.
inline Value call_cells(const kmh_function* function, const kmh_value* args, size_t count) {
  kmh_value out = kmh_null();
  kmh_error* error = nullptr;
  int32_t status = kmh_call(function, args, count, &out, &error);
  if (status != KMH_OK) throw Error(status, error);
  return Value::adopt(out);
}

inline Value call(std::string_view name, const std::vector<Value>& args) {
  std::vector<kmh_value> cells;
  cells.reserve(args.size());
  for (const Value& v : args) cells.push_back(v.cell());
  kmh_value out = kmh_null();
  kmh_error* error = nullptr;
  int32_t status = kmh_call_name(name.data(), name.size(), cells.data(), cells.size(), &out, &error);
  if (status != KMH_OK) throw Error(status, error);
  return Value::adopt(out);
}

}  // namespace kumihimo::api
