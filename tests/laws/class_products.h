/* Products and convolutions with free axes, for class_rows.h. law_sizes has the sizes of each
 * kind; these are for what has one kernel for all sizes (law_open), and small in the sweep. */
#ifndef TESTS_LAWS_CLASS_PRODUCTS_H
#define TESTS_LAWS_CLASS_PRODUCTS_H

#include "tests/laws/class_forms.h"

enum { FEW_PRODUCTS = 9000 };

#define PRODUCT(x, y, dims, r)                                                                 \
    { "dot_general",                                                                           \
      F("%x: $" x ", %y: $" y, "$" r, "%0 = dot_general %x, %y {" dims "} : $" r),             \
      LAWS_NUMBERS,                                                                            \
      2,                                                                                       \
      0,                                                                                       \
      FEW_PRODUCTS,                                                                            \
      -3,                                                                                      \
      3 }
#define WINDOWS(x, y, how, least, r)                                                           \
    { "conv_general",                                                                          \
      F("%x: $" x ", %y: $" y, "$" r, "%0 = conv_general %x, %y {" how "} : $" r),             \
      LAWS_NUMBERS,                                                                            \
      2,                                                                                       \
      least,                                                                                   \
      FEW_PRODUCTS,                                                                            \
      -3,                                                                                      \
      3 }
#define ALONE "lhs_batch=[], rhs_batch=[]"

/* Rows by a matrix, of columns, rows by columns with a step behind, rows by a vector and the
 * reverse, inner, batches of large and of small matrices; windows along an open axis, of an
 * open batch, with steps and gaps, and the gradient of their weights. */
#define PRODUCT_ROWS                                                                           \
    PRODUCT("[<n>,<m>]", "[<m>,72]", "lhs=[1], rhs=[0], " ALONE, "[<n>,72]"),                  \
        PRODUCT("[<m>,<n>]", "[66,<m>]", "lhs=[0], rhs=[1], " ALONE, "[<n>,66]"),              \
        { "dot_general",                                                                       \
          F("%x: $[<n>,16], %y: $[<m>,16], %z: $[<n>,<m>]", "$[<n>,<m>]",                      \
            "%1 = dot_general %x, %y {lhs=[1], rhs=[1], " ALONE "} : $[<n>,<m>]" L             \
            "%0 = sub %1, %z : $[<n>,<m>]"),                                                   \
          LAWS_NUMBERS,                                                                        \
          2,                                                                                   \
          0,                                                                                   \
          FEW_PRODUCTS,                                                                        \
          -3,                                                                                  \
          3 },                                                                                 \
        PRODUCT("[<n>,<m>]", "[<m>]", "lhs=[1], rhs=[0], " ALONE, "[<n>]"),                    \
        PRODUCT("[<n>]", "[<n>,<m>]", "lhs=[0], rhs=[0], " ALONE, "[<m>]"),                    \
        PRODUCT("[<n>,<m>]", "[<n>,<m>]", "lhs=[0,1], rhs=[0,1], " ALONE, "[]"),               \
        PRODUCT("[<n>,65,<m>]", "[<n>,<m>,64]",                                                \
                "lhs=[2], rhs=[1], lhs_batch=[0], rhs_batch=[0]", "[<n>,65,64]"),              \
        PRODUCT("[<n>,<m>,3]", "[<m>,3,<n>]",                                                  \
                "lhs=[2], rhs=[1], lhs_batch=[1], rhs_batch=[0]", "[<m>,<n>,<n>]"),            \
        WINDOWS("[1,<n>,<m>,3]", "[1,5,3,4]", "strides=[1], dilation=[1]", 4,                  \
                "[1,<n>,<m-4>,4]"),                                                            \
        WINDOWS("[2,<n>,9,<m>,2]", "[2,3,2,2,16]", "strides=[2,1], dilation=[2,2]", 2,         \
                "[2,<n>,3,<m-2>,16]"),                                                         \
        WINDOWS("[1,3,<n>,<m>]", "[1,<n-2>,<m>,2]", "strides=[1], dilation=[1]", 3,            \
                "[1,3,3,2]")

#endif
