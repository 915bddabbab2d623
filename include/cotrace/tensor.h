/* Cotrace: element types, array types, and typed memory. */
#ifndef COTRACE_TENSOR_H
#define COTRACE_TENSOR_H

#include "cotrace/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element types.  f16 is IEEE binary16, bf16 the upper half of binary32: half.h has both in C.
 * c64 and c128 are complex: the real part, then the imaginary part, of f32 and f64, as C99's
 * `float complex` and `double complex`, C++'s std::complex and NumPy's complex64 and complex128
 * lie in memory; they are aligned as their parts are. */
typedef enum cot_dtype {
    COT_DTYPE_NONE = 0,
    COT_BOOL,
    COT_I8, COT_I16, COT_I32, COT_I64,
    COT_U8, COT_U16, COT_U32, COT_U64,
    COT_F16, COT_BF16, COT_F32, COT_F64,
    COT_C64, COT_C128,
    COT_DTYPE_COUNT
} cot_dtype;

#define COT_MAX_RANK 64

/* An array type: element type and sizes.  dims is borrowed by the call that takes it. */
typedef struct cot_type {
    cot_dtype dtype;
    int rank;                    /* 0 to COT_MAX_RANK            */
    int64_t dims[8];             /* the sizes where rank <= 8    */
    const int64_t *more;         /* all the sizes where rank > 8 */
} cot_type;

/* Types of several arguments.  A list of at most COT_HELD entries that COT_TYPES or
 * cot_types_of made holds a copy of them, so it may outlive the block that made it; a longer
 * one, and one written `(cot_types){.n = n, .at = p}`, points to the caller's memory.  The
 * same is true of the other lists: cot_list, cot_values, cot_ats.  In that block the entries
 * are also list.at[i], but of a cot_list; anywhere they are cot_types_entries(&list)[i],
 * cot_list_entries(&list)[i]. */
#define COT_HELD 8
typedef struct cot_types {
    int n;
    const cot_type *at;          /* the entries                             */
    int n_held COT_OR_ZERO_;     /* how many of them are copied; 0: none is */
    cot_type held[COT_HELD] COT_OR_ZERO_;
} cot_types;

/* A list of integers: axes, sizes, argument numbers.  All zero is the absent list, which stands
 * for a default; the empty list is COT_LIST().  Lists are written COT_LIST(1), never as a bare
 * number: `.axes = 1` is an error, and `.axes = 0` cannot be told from no list at all.  A list
 * of integers holds up to COT_HELD_INTS entries. */
#define COT_BY_NAME 2
#define COT_HELD_INTS 16
typedef struct cot_list {
    int n;
    int one;                     /* 1: the single entry serves every argument, axis, ...;
                                    COT_BY_NAME: names is a text of names                */
    const int64_t *at;           /* the entries; NULL where they are held                */
    const char *names COT_OR_ZERO_;
    int64_t held[1 + COT_HELD_INTS] COT_OR_ZERO_;  /* held[0] is 1 where they follow it  */
} cot_list;

/* "No axis" where an axis is wanted. */
#define COT_NONE INT64_MIN

/* The name of an element type, as in text and messages: "f32"; "?" for a number that is none.
 * The text is constant. */
COT_API const char *cot_dtype_name(cot_dtype dtype);
/* The bytes of one element: 1 for bool, 16 for c128. 0 for COT_DTYPE_NONE and for a number that
 * is none. */
COT_API size_t cot_dtype_size(cot_dtype dtype);

/* A type from its parts: `rank` sizes at dims, which are copied, but must outlive the result
 * where rank > 8. Whether they are right is checked by the call that takes the type. */
COT_API cot_type cot_type_new(cot_dtype dtype, int rank, const int64_t *dims);
/* A list of the n types at `at`: up to COT_HELD of them are copied into it, of more it has the
 * pointer, and the caller keeps the memory. */
COT_API cot_types cot_types_of(int n, const cot_type *at);
/* The n entries of a list of types: those that it holds, or where it points. They live as long
 * as the list and that memory. */
COT_API const cot_type *cot_types_entries(const cot_types *types);
/* The n entries of a list of integers: those that it holds, or where it points. They live as
 * long as the list and that memory. */
COT_API const int64_t *cot_list_entries(const cot_list *list);
/* The number of elements of a type, the product of its sizes: 1 of a scalar, 0 where a size is
 * 0 or type is NULL. */
COT_API int64_t cot_type_count(const cot_type *type);
/* The size of one axis; a negative axis counts from the end. 0 where the type has no such
 * axis. */
COT_API int64_t cot_type_size(const cot_type *type, int axis);

#ifndef __cplusplus
/* The leading 0 gives an array of at least one element, so that the list may be empty. */
#define COT_INTS_(...) ((const int64_t[]){0, __VA_ARGS__})
#define COT_INTS_N_(...) ((int)(sizeof COT_INTS_(__VA_ARGS__) / sizeof(int64_t)) - 1)
/* A list of at most 64 integers: COT_LIST(0, 2); COT_LIST() is the empty list. Each entry is
 * evaluated once. */
#define COT_LIST(...)                                                       \
    COT_LIST_OF_(__VA_ARGS__, COT_16_(COT_LIST_AT_), COT_16_(COT_LIST_AT_), \
                 COT_16_(COT_LIST_AT_), COT_16_(COT_LIST_HELD_), )(__VA_ARGS__)
#define COT_LIST_HELD_(...) \
    ((cot_list){.n = COT_INTS_N_(__VA_ARGS__), .held = {1, __VA_ARGS__}})
#define COT_LIST_AT_(...) \
    ((cot_list){.n = COT_INTS_N_(__VA_ARGS__), .at = COT_INTS_(__VA_ARGS__) + 1})
/* A list of one integer that stands for every argument, result or axis: .in_dims = COT_ALL(1)
 * maps axis 1 of each argument. */
#define COT_ALL(n_) ((cot_list){.n = 1, .one = 1, .held = {1, n_}})
/* The 65th argument: which of the two a list of so many entries is. */
#define COT_4_(x) x, x, x, x
#define COT_16_(x) COT_4_(x), COT_4_(x), COT_4_(x), COT_4_(x)
#define COT_LIST_OF_(...) COT_LIST_PICK_(__VA_ARGS__)
#define COT_LIST_PICK_(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, \
                       a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, \
                       a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, \
                       a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, \
                       a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, \
                       pick, ...) pick
/* An axis for each argument or result, by the names of cot_fn_named: COT_DIMS("x: 0, layer:
 * {weight: 0, bias: none}"). An integer at an inner name serves all below it. */
#define COT_DIMS(text) COT_NAMES(text)
/* Which arguments or results, by name: COT_NAMES("layer.0, scale"). An inner name stands for
 * all below it. */
#define COT_NAMES(text) ((cot_list){.n = 1, .one = COT_BY_NAME, .names = text})

#define COT_TYPE_(t, ...) cot_type_new(t, COT_INTS_N_(__VA_ARGS__), COT_INTS_(__VA_ARGS__) + 1)
/* The type bool[...], one byte an element, 0 or 1: cot_bool(2, 3) is bool[2,3], and without
 * sizes a scalar, as of all these names. */
#define cot_bool(...) COT_TYPE_(COT_BOOL, __VA_ARGS__)
/* The type i8[...]: integers of 8 bits with a sign, int8_t of C. The sizes are the
 * arguments. */
#define cot_i8(...) COT_TYPE_(COT_I8, __VA_ARGS__)
/* The type i16[...]: integers of 16 bits with a sign, int16_t of C. The sizes are the
 * arguments. */
#define cot_i16(...) COT_TYPE_(COT_I16, __VA_ARGS__)
/* The type i32[...]: integers of 32 bits with a sign, int32_t of C. The sizes are the
 * arguments. */
#define cot_i32(...) COT_TYPE_(COT_I32, __VA_ARGS__)
/* The type i64[...]: integers of 64 bits with a sign, int64_t of C. The sizes are the
 * arguments. */
#define cot_i64(...) COT_TYPE_(COT_I64, __VA_ARGS__)
/* The type u8[...]: integers of 8 bits without a sign, uint8_t of C. The sizes are the
 * arguments. */
#define cot_u8(...) COT_TYPE_(COT_U8, __VA_ARGS__)
/* The type u16[...]: integers of 16 bits without a sign, uint16_t of C. The sizes are the
 * arguments. */
#define cot_u16(...) COT_TYPE_(COT_U16, __VA_ARGS__)
/* The type u32[...]: integers of 32 bits without a sign, uint32_t of C. The sizes are the
 * arguments. */
#define cot_u32(...) COT_TYPE_(COT_U32, __VA_ARGS__)
/* The type u64[...]: integers of 64 bits without a sign, uint64_t of C. The sizes are the
 * arguments. */
#define cot_u64(...) COT_TYPE_(COT_U64, __VA_ARGS__)
/* The type f16[...]: IEEE binary16, 11 bits of precision, in 2 bytes. The sizes are the
 * arguments. */
#define cot_f16(...) COT_TYPE_(COT_F16, __VA_ARGS__)
/* The type bf16[...]: the upper half of binary32, 8 bits of precision, in 2 bytes. The sizes
 * are the arguments. */
#define cot_bf16(...) COT_TYPE_(COT_BF16, __VA_ARGS__)
/* The type f32[...]: IEEE binary32, float of C. cot_f32(2, 3) is f32[2,3], and cot_f32() is a
 * scalar. */
#define cot_f32(...) COT_TYPE_(COT_F32, __VA_ARGS__)
/* The type f64[...]: IEEE binary64, double of C, in 8 bytes. The sizes are the arguments. */
#define cot_f64(...) COT_TYPE_(COT_F64, __VA_ARGS__)
/* The type c64[...]: complex numbers, pairs of f32, float complex of C, in 8 bytes. The sizes
 * are the arguments. */
#define cot_c64(...) COT_TYPE_(COT_C64, __VA_ARGS__)
/* The type c128[...]: complex numbers, pairs of f64, double complex of C, in 16 bytes. The
 * sizes are the arguments. */
#define cot_c128(...) COT_TYPE_(COT_C128, __VA_ARGS__)

/* COT_TYPES(cot_f32(3), cot_f32(n, 3)); the leading element is as in COT_INTS_. */
#define COT_NO_TYPE_ {COT_DTYPE_NONE, 0, {0, 0, 0, 0, 0, 0, 0, 0}, NULL}
#define COT_TYPES_(...) ((const cot_type[]){COT_NO_TYPE_, __VA_ARGS__})
/* A list of types, one for each argument, which may be empty: COT_TYPES(cot_f32(3), cot_f32(n,
 * 3)). Up to COT_HELD are copied into it. */
#define COT_TYPES(...)                                                            \
    cot_types_of((int)(sizeof COT_TYPES_(__VA_ARGS__) / sizeof(cot_type)) - 1, \
                 COT_TYPES_(__VA_ARGS__) + 1)
#endif

/* Typed memory.  An array is dense and row-major; its memory is owned (aligned to 64 bytes) or
 * borrowed from the caller, who then keeps it alive.  Free with cot_array_free.  Arrays do not
 * belong to a context's thread: any thread may read one that no thread writes. */

/* New memory, zeroed.  NULL with the error recorded in ctx if the type is wrong or memory is
 * short. */
COT_API cot_array *cot_array_new(cot_context *ctx, cot_type type);
/* New memory with a copy of data, which has the type's elements in row-major order; the caller
 * frees the array. NULL, with the error recorded, if the type is wrong, memory is short, or
 * data is NULL and the type has elements. */
COT_API cot_array *cot_array_copy(cot_context *ctx, cot_type type, const void *data);
/* The caller's memory, aligned to the element (a half of a complex one).  NULL with COT_ERR_ARG
 * recorded where it is not, and, as of a copy, where data is NULL and the array not empty. */
COT_API cot_array *cot_array_borrow(cot_context *ctx, cot_type type, void *data);
/* Free an array; NULL is allowed. Memory that it owns goes once nothing else holds the array
 * (cot_capture, DLPack); borrowed memory stays the caller's. */
COT_API void cot_array_free(cot_array *a);
/* The type of an array; its list of sizes, where rank > 8, is the array's. */
COT_API cot_type cot_array_type(const cot_array *a);
/* The elements, to be written, in row-major order. The address stays the same while the array
 * lives. */
COT_API void *cot_array_data(cot_array *a);
/* The elements, to be read, in row-major order: the same address as cot_array_data, for an
 * array that is const. */
COT_API const void *cot_array_read(const cot_array *a);
/* The size of all elements in bytes: their number times cot_dtype_size of the type. 0 where a
 * is NULL. */
COT_API size_t cot_array_bytes(const cot_array *a);

/* A new array of an npy file, versions 1 to 3, of either byte order and layout; bf16 travels
 * as uint16. Errors: COT_ERR_IO (the file), COT_ERR_PARSE (it is no npy file, or its header
 * does not fit it). */
COT_API cot_status cot_npy_read(cot_context *ctx, const char *path, cot_array **out);
/* Write an array as an npy file of version 1, row-major and little-endian; bf16 is written as
 * uint16. A file that is there is replaced. A spread array (spread.h) is written by all
 * processes together. Errors: COT_ERR_IO, COT_ERR_ARG where path or a is
 * NULL. */
COT_API cot_status cot_npy_write(cot_context *ctx, const char *path, const cot_array *a);

#ifdef __cplusplus
}
#endif
#endif
