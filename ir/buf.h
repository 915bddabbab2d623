/* Growing text in an arena. */
#ifndef IR_BUF_H
#define IR_BUF_H

#include <stdarg.h>
#include <stdbool.h>

#include "ir/arena.h"

typedef struct ir_buf {
    ir_arena *arena;
    char *text;         /* always terminated once anything was added */
    size_t n, cap;
} ir_buf;

void ir_buf_init(ir_buf *b, ir_arena *a);
void ir_buf_add(ir_buf *b, const char *s, size_t n);
void ir_buf_str(ir_buf *b, const char *s);
void ir_buf_printf(ir_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ir_buf_vprintf(ir_buf *b, const char *format, va_list ap);
/* The shortest decimal that reads back as the same number; nan, inf, -inf by name. */
void ir_buf_f64(ir_buf *b, double x);
void ir_buf_f32(ir_buf *b, float x);

#endif
