/* Kumihimo's promised boundary: everything outside (Python, Rust, the command line, plug-ins) uses this header.
 *
 *   kmh_value args[2] = {kmh_string("(64)/((16:1, 4_W:1))", 20), kmh_string("mncore2", 7)};
 *   kmh_value out = kmh_null();
 *   kmh_error* error = NULL;
 *   if (kmh_call_name("layout.parse", 12, args, 2, &out, &error) != KMH_OK) { ... kmh_error_text(error, &n) ... }
 *   kmh_release(&out);
 *
 * One generic call. Functions are named; `functions.list` and `describe` say which there are and what they take.
 * Values cross in 16-byte cells. Arguments are borrowed for the time of the call; results and errors are owned by
 * the caller and given back with kmh_release and kmh_error_release. Text is UTF-8 with a length. No C++ exception
 * crosses, nothing is kept per thread. One object is used by one thread at a time; different objects freely.
 *
 * Entries are never removed or changed; new ones are appended with the version that brought them.
 * Units: lengths in bytes.
 */
#ifndef KUMIHIMO_H
#define KUMIHIMO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define KMH_API __declspec(dllexport)
#else
#define KMH_API __attribute__((visibility("default")))
#endif

/* Version of this boundary: the library answers the same number or a higher one. */
#define KMH_ABI_VERSION 1

typedef enum kmh_kind {
  KMH_NULL = 0,
  KMH_BOOL = 1,   /* as.i: 0 or 1 */
  KMH_INT = 2,    /* as.i */
  KMH_FLOAT = 3,  /* as.f */
  KMH_STRING = 4, /* as.p, size bytes; UTF-8 text or raw bytes, may hold zeros, not terminated */
  KMH_OBJECT = 5  /* as.o */
} kmh_kind;

/* An object lives as long as somebody holds a reference. */
typedef struct kmh_object kmh_object;
typedef struct kmh_function kmh_function;
typedef struct kmh_error kmh_error;

/* The value cell: 16 bytes on every platform. For strings, size holds the length; longer strings than 4 GiB - 1 are
 * refused. Bytes that a kind does not use are zero. */
typedef struct kmh_value {
  uint32_t kind;
  uint32_t size;
  union {
    int64_t i;
    double f;
    const char* p;
    kmh_object* o;
    uint64_t raw;
  } as;
} kmh_value;

typedef enum kmh_status {
  KMH_OK = 0,
  KMH_INPUT_ERROR = 1,   /* the input is at fault: the error says what was seen, what is needed and how to mend it */
  KMH_INTERNAL_ERROR = 3 /* a fault of the library */
} kmh_status;

/* ---- since 1 ---------------------------------------------------------------------------------------------------- */

KMH_API uint32_t kmh_abi_version(void);
/* Version of the product, "0.1.0"; static. */
KMH_API const char* kmh_version(void);

/* Looks a function up; NULL when there is none. The handle lives as long as the process. */
KMH_API const kmh_function* kmh_find_function(const char* name, size_t name_size);

/* Calls it. On KMH_OK *result is owned by the caller; otherwise *error is (when error is not NULL). Both are written in
 * every case. Only when memory is short an error has no object. */
KMH_API int32_t kmh_call(const kmh_function* function, const kmh_value* args, size_t count, kmh_value* result,
                         kmh_error** error);
KMH_API int32_t kmh_call_name(const char* name, size_t name_size, const kmh_value* args, size_t count,
                              kmh_value* result, kmh_error** error);

/* Gives back what a result owns and makes the cell null. Cells that were filled by the caller own nothing and must
 * not be released. */
KMH_API void kmh_release(kmh_value* value);

/* References of objects. */
KMH_API void kmh_object_retain(kmh_object* object);
KMH_API void kmh_object_release(kmh_object* object);
/* Name of the object's type, "module"; lives as long as the object. */
KMH_API const char* kmh_object_type(const kmh_object* object);

/* Errors: the text for people and the JSON for programs hold the same fields. Lives until kmh_error_release. */
KMH_API const char* kmh_error_text(const kmh_error* error, size_t* size);
KMH_API const char* kmh_error_json(const kmh_error* error, size_t* size);
KMH_API const char* kmh_error_code(const kmh_error* error, size_t* size);
KMH_API void kmh_error_release(kmh_error* error);

/* Registers a function from outside. `call` follows the rules of kmh_call: it fills *result with an owned value
 * (kmh_new_string for text) or returns a status other than KMH_OK with a message in *result. */
typedef int32_t (*kmh_callback)(void* context, const kmh_value* args, size_t count, kmh_value* result);
KMH_API int32_t kmh_register_function(const char* name, size_t name_size, const char* signature, size_t signature_size,
                                      const char* doc, size_t doc_size, kmh_callback call, void* context,
                                      kmh_error** error);
/* An owned copy of bytes, for results of callbacks. The null cell when memory is short or size is above 4 GiB - 1. */
KMH_API kmh_value kmh_new_string(const char* bytes, size_t size);

/* ---- cells ------------------------------------------------------------------------------------------------------ */

static inline kmh_value kmh_null(void) {
  kmh_value v;
  v.kind = KMH_NULL;
  v.size = 0;
  v.as.raw = 0;
  return v;
}
static inline kmh_value kmh_bool(int b) {
  kmh_value v = kmh_null();
  v.kind = KMH_BOOL;
  v.as.i = b != 0;
  return v;
}
static inline kmh_value kmh_int(int64_t i) {
  kmh_value v = kmh_null();
  v.kind = KMH_INT;
  v.as.i = i;
  return v;
}
static inline kmh_value kmh_float(double f) {
  kmh_value v = kmh_null();
  v.kind = KMH_FLOAT;
  v.as.f = f;
  return v;
}
/* Borrowed. */
static inline kmh_value kmh_string(const char* bytes, uint32_t size) {
  kmh_value v = kmh_null();
  v.kind = KMH_STRING;
  v.size = size;
  v.as.p = bytes;
  return v;
}

#ifdef __cplusplus
}
#endif

#endif /* KUMIHIMO_H */
