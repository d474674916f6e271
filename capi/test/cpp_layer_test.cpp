// kumihimo.hpp: owners over the C cells. Copies are independent, moves leave nulls, refusals are exceptions.
#include "capi/include/kumihimo.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <type_traits>

namespace kumihimo::api {
namespace {

using namespace std::string_view_literals;

TEST(CppLayer, ValuesKeepTheirKind) {
  EXPECT_EQ(Value().kind(), KMH_NULL);
  EXPECT_EQ(Value(true).kind(), KMH_BOOL);
  EXPECT_EQ(Value(3).kind(), KMH_INT);
  EXPECT_EQ(Value(2.5).kind(), KMH_FLOAT);
  EXPECT_EQ(Value("text").kind(), KMH_STRING);
  EXPECT_EQ(Value(std::string("text")).string(), "text");
  EXPECT_EQ(Value("a\0b"sv).string(), "a\0b"sv);
  EXPECT_EQ(Value(3).number(), 3.0);
}

TEST(CppLayer, CopiesOwnTheirBytes) {
  Value a("first");
  Value b = a;
  EXPECT_NE(a.cell().as.p, b.cell().as.p);
  a = Value("second");
  EXPECT_EQ(b.string(), "first");
  Value c = std::move(b);
  EXPECT_TRUE(b.is_null());  // NOLINT(bugprone-use-after-move): that is the claim
  EXPECT_EQ(c.string(), "first");
}

TEST(CppLayer, CopiesOfObjectsAreTheSameObject) {
  Value m = call("module.new", {"mncore2"});
  Value copy = m;
  EXPECT_EQ(m.object(), copy.object());
  const std::string attrs = R"({"value": 1.5, "dtype": "single"})";
  EXPECT_EQ(call("module.apply", {m, "immediate_float", attrs}).integer(), 0);
  m = Value();
  EXPECT_NE(call("module.print", {copy}).string().find("immediate_float"), std::string_view::npos);
}

TEST(CppLayer, RefusalsAreExceptionsWithAllFields) {
  try {
    call("layout.parse", {"(64)/((16_MAP:1, 4_W:1))", "mncore2"});
    FAIL() << "an unknown axis was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), KMH_INPUT_ERROR);
    EXPECT_EQ(e.code(), "K1002");
    EXPECT_NE(e.json().find("\"K1002\""), std::string::npos);
    EXPECT_EQ(e.text(), e.what());
    EXPECT_NE(e.text().find("MAP"), std::string::npos);
  }
}

// Different objects in different threads: nothing is kept per thread or shared.
TEST(CppLayer, ThreadsWithTheirOwnModules) {
  std::vector<std::thread> threads;
  std::vector<std::string> texts(4);
  for (size_t t = 0; t < texts.size(); ++t)
    threads.emplace_back([&texts, t] {
      for (int round = 0; round < 50; ++round) {
        Value m = call("module.new", {"mncore2"});
        for (int i = 0; i < 10; ++i)
          call("module.apply", {m, "immediate_float", R"({"value": 0.5, "dtype": "single"})"});
        texts[t] = call("module.print", {m}).string();
        EXPECT_THROW(call("module.print", {7}), Error);
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& text : texts) {
    EXPECT_EQ(text, texts[0]);
    EXPECT_NE(text.find("%9 = immediate_float"), std::string::npos);
  }
}

}  // namespace
}  // namespace kumihimo::api
