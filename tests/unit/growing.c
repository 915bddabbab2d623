/* The programs of growing.h as text. */
#include "tests/unit/growing.h"

void
grow_chain(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%x: f32[8], %y: f32[8]) -> (f32[]) {\n %v0 = add %x, %y : f32[8]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = %s %%v%d, %%y : f32[8]\n", i, i % 2 ? "mul" : "add", i - 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

/* What an unrolled recurrence of a vector is. */
void
grow_waves(ir_buf *b, int n)
{
    static const char *const op[] = { "sin %%v%d", "mul %%v%d, %%y", "add %%v%d, %%y" };

    ir_buf_str(b, "fn @f(%x: f32[1000], %y: f32[1000]) -> (f32[]) {\n %v0 = add %x, %y : "
                  "f32[1000]\n");
    for (int i = 1; i <= n; i++) {
        ir_buf_printf(b, " %%v%d = ", i);
        ir_buf_printf(b, op[i % 3], i - 1);
        ir_buf_str(b, " : f32[1000]\n");
    }
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

/* A loop of scalars, written out. */
void
grow_scalars(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%x: f32[], %y: f32[]) -> (f32[]) {\n %v0 = add %x, %y : f32[]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = %s %%v%d, %s : f32[]\n", i, i % 2 ? "mul" : "add", i - 1,
                      i % 2 ? "%x" : "%y");
    ir_buf_printf(b, " ret %%v%d\n}\n", n);
}

/* Residual blocks of convolutions over images of 16 channels. */
void
grow_convolutions(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[1,2,8,8,16], %w: f32[1,3,3,16,16]) -> (f32[]) {\n %z = "
                  "constant {data=0} : f32[]\n %zero = constant {data=0} : f32[1,2,8,8,16]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      " %%p%d = pad %%v%d, %%z {low=[0,0,1,1,0], high=[0,0,1,1,0], "
                      "interior=[0,0,0,0,0]} : "
                      "f32[1,2,10,10,16]\n"
                      " %%a%d = conv_general %%p%d, %%w {strides=[1,1], dilation=[1,1]} : "
                      "f32[1,2,8,8,16]\n"
                      " %%d%d = max %%a%d, %%zero : f32[1,2,8,8,16]\n"
                      " %%v%d = add %%v%d, %%d%d : f32[1,2,8,8,16]\n",
                      i, i - 1, i, i, i, i, i, i - 1, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0,1,2,3,4]} : f32[]\n ret %%s\n}\n", n);
}

/* Layers whose weights are slices of one array. */
void
grow_stack(ir_buf *b, int n)
{
    ir_buf_printf(b, "fn @f(%%v0: f32[16,24], %%w: f32[%d,24,24]) -> (f32[]) {\n", n);
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      " %%w%d = slice %%w {start=[%d,0,0], limit=[%d,24,24], stride=[1,1,1]} : "
                      "f32[1,24,24]\n"
                      " %%r%d = reshape %%w%d {shape=[24,24]} : f32[24,24]\n"
                      " %%a%d = dot_general %%v%d, %%r%d {lhs=[1], rhs=[0], lhs_batch=[], "
                      "rhs_batch=[]} : "
                      "f32[16,24]\n"
                      " %%v%d = tanh %%a%d : f32[16,24]\n",
                      i, i - 1, i, i, i, i, i - 1, i, i, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0,1]} : f32[]\n ret %%s\n}\n", n);
}

/* Steps of the midpoint rule for a pendulum with friction. */
void
grow_steps(ir_buf *b, int n)
{
    ir_buf_str(b,
               "fn @f(%q0: f32[64], %p0: f32[64]) -> (f32[]) {\n %h = constant {data=0.01} : "
               "f32[64]\n %c = constant {data=0.1} : f32[64]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      " %%a%d = mul %%p%d, %%h : f32[64]\n %%b%d = add %%q%d, %%a%d : f32[64]\n"
                      " %%s%d = sin %%b%d : f32[64]\n %%f%d = mul %%c, %%p%d : f32[64]\n"
                      " %%g%d = add %%s%d, %%f%d : f32[64]\n %%d%d = mul %%g%d, %%h : f32[64]\n"
                      " %%p%d = sub %%p%d, %%d%d : f32[64]\n %%e%d = mul %%p%d, %%h : f32[64]\n"
                      " %%q%d = add %%b%d, %%e%d : f32[64]\n",
                      i, i - 1, i, i - 1, i, i, i, i, i - 1, i, i, i, i, i, i, i - 1, i, i, i,
                      i, i, i);
    ir_buf_printf(b, " %%s = reduce_sum %%q%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

void
grow_wide(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%x: f32[8]) -> (f32[]) {\n %t0 = reduce_sum %x {axes=[0]} : f32[]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            " %%c%d = constant {data=%d.5} : f32[8]\n %%m%d = mul %%x, %%c%d : f32[8]\n"
            " %%r%d = reduce_sum %%m%d {axes=[0]} : f32[]\n %%t%d = add %%t%d, %%r%d : f32[]\n",
            i, i, i, i, i, i, i, i - 1, i);
    ir_buf_printf(b, " ret %%t%d\n}\n", n);
}

/* Sums of neighbours, of those, and so on: a kernel of all would be as large as the program. */
void
grow_balanced(ir_buf *b, int n)
{
    int made = 0, from = 0, end;

    ir_buf_str(b, "fn @f(%x: f32[8], %y: f32[8]) -> (f32[]) {\n");
    for (; made < n; made++)
        ir_buf_printf(
            b, " %%c%d = constant {data=%d.25} : f32[8]\n %%v%d = mul %%x, %%c%d : f32[8]\n",
            made, made, made, made);
    for (end = made; end - from > 1; from += 2, made++, end++)
        ir_buf_printf(b, " %%v%d = add %%v%d, %%v%d : f32[8]\n", made, from, from + 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", made - 1);
}

void
grow_mlp(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[16,24], %w: f32[24,24], %c: f32[24]) -> (f32[]) {\n %z = "
                  "constant {data=0} : f32[16,24]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            " %%a%d = dot_general %%v%d, %%w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
            "f32[16,24]\n"
            " %%b%d = broadcast_in_dim %%c {shape=[16,24], dims=[1]} : f32[16,24]\n"
            " %%d%d = add %%a%d, %%b%d : f32[16,24]\n %%v%d = max %%d%d, %%z : f32[16,24]\n",
            i, i - 1, i, i, i, i, i, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0,1]} : f32[]\n ret %%s\n}\n", n);
}

void
grow_residual(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[16,24], %w: f32[24,24]) -> (f32[]) {\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            " %%a%d = dot_general %%v%d, %%w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
            "f32[16,24]\n"
            " %%d%d = tanh %%a%d : f32[16,24]\n %%v%d = add %%v%d, %%d%d : f32[16,24]\n",
            i, i - 1, i, i, i, i - 1, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0,1]} : f32[]\n ret %%s\n}\n", n);
}

void
grow_rows(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[40]) -> (f32[]) {\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      " %%a%d = reduce_sum %%v%d {axes=[0]} : f32[]\n %%b%d = broadcast_in_dim "
                      "%%a%d {shape=[40], dims=[]} : f32[40]\n"
                      " %%v%d = sub %%v%d, %%b%d : f32[40]\n",
                      i, i - 1, i, i, i, i - 1, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

void
grow_updates(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[100]) -> (f32[]) {\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      " %%i%d = constant {data=%d} : i32[]\n %%p%d = dynamic_slice %%v%d, "
                      "%%i%d {sizes=[1]} : f32[1]\n"
                      " %%q%d = sin %%p%d : f32[1]\n %%j%d = constant {data=%d} : i32[]\n"
                      " %%v%d = dynamic_update_slice %%v%d, %%q%d, %%j%d : f32[100]\n",
                      i, i % 100, i, i - 1, i, i, i, i, (i * 3 + 1) % 100, i, i - 1, i, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

/* n pairs of ops that only move elements, from a value of f32[2,4] to another. */
static void
moves(ir_buf *b, const char *from, const char *to, int n, const char *view)
{
    ir_buf_printf(b,
                  " %%%s0 = %sreshape %%%s {shape=[4,2]} : f32[4,2]\n %%%sa0 = %stranspose "
                  "%%%s0 {perm=[1,0]} : f32[2,4]\n",
                  to, view, from, to, view, to);
    for (int i = 1; i < n; i++)
        ir_buf_printf(b,
                      " %%%s%d = %sreshape %%%sa%d {shape=[4,2]} : f32[4,2]\n %%%sa%d = "
                      "%stranspose %%%s%d {perm=[1,0]} : f32[2,4]\n",
                      to, i, view, to, i - 1, to, i, view, to, i);
}

/* What the way back needs of %y is made again; the product is fused with the sum through
 * moves. */
void
grow_moved(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%x: f32[2,4], %y: f32[2,4]) -> (f32[]) {\n");
    moves(b, "y", "m", n, "");
    ir_buf_printf(b, " %%p = mul %%x, %%ma%d : f32[2,4]\n", n - 1);
    moves(b, "p", "q", n, "");
    ir_buf_printf(b,
                  " %%z = add %%x, %%qa%d : f32[2,4]\n %%s = reduce_sum %%z {axes=[0,1]} : "
                  "f32[]\n ret %%s\n}\n",
                  n - 1);
}

/* A body whose values are all the same in every step: sums of a value with itself, which are as
 * many paths as there can be. */
void
grow_same_steps(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @step(%k: f32[8], %c: f32[8]) -> (f32[8]) {\n %v0 = sin %k : f32[8]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = add %%v%d, %%v%d : f32[8]\n", i, i - 1, i - 1);
    ir_buf_printf(
        b,
        " %%y = mul %%v%d, %%c : f32[8]\n ret %%y\n}\n"
        "fn @f(%%k: f32[8], %%c: f32[8]) -> (f32[]) {\n %%0 = scan %%k, %%c {consts=1, "
        "carries=1, length=3, body=@step} : f32[8]\n"
        " %%s = reduce_sum %%0 {axes=[0]} : f32[]\n ret %%s\n}\n",
        n);
}

/* A write through as many views. */
void
grow_views(ir_buf *b, int n)
{
    ir_buf_str(b,
               "fn @f(%x: f32[2,4], %y: f32[2,4]) -> (f32[]) {\n %c = clone %x : f32[2,4]\n");
    moves(b, "c", "m", n, "view_");
    ir_buf_printf(b,
                  " %%w = assign %%ma%d, %%y : f32[2,4]\n %%z = sin %%ma%d : f32[2,4]\n"
                  " %%s = reduce_sum %%z {axes=[0,1]} : f32[]\n ret %%s\n}\n",
                  n - 1, n - 1);
}

static const char leaf[] =
    "fn @g(%x: f32[8]) -> (f32[8]) {\n %0 = sin %x : f32[8]\n ret %0\n}\n"
    "fn @h(%x: f32[8]) -> (f32[8]) {\n %0 = cos %x : f32[8]\n ret %0\n}\n";

void
grow_calls(ir_buf *b, int n)
{
    ir_buf_printf(b, "%sfn @f(%%v0: f32[8]) -> (f32[]) {\n", leaf);
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = call %%v%d {body=@g} : f32[8]\n", i, i - 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

void
grow_nested_calls(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f0(%x: f32[8]) -> (f32[8]) {\n %0 = sin %x : f32[8]\n ret %0\n}\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      "fn @f%d(%%x: f32[8]) -> (f32[8]) {\n %%0 = call %%x {body=@f%d} : "
                      "f32[8]\n %%1 = add %%0, %%x : f32[8]\n ret %%1\n}\n",
                      i, i - 1);
}

/* Of some 60 ops, so that it stays a function. */
static void
write_large(ir_buf *b, const char *name)
{
    ir_buf_printf(b, "fn @%s(%%v0: f32[8]) -> (f32[8]) {\n", name);
    for (int i = 1; i <= 60; i++)
        ir_buf_printf(b, " %%v%d = %s %%v%d : f32[8]\n", i, i % 2 ? "sin" : "tanh", i - 1);
    ir_buf_str(b, " ret %v60\n}\n");
}

void
grow_large_calls(ir_buf *b, int n)
{
    write_large(b, "g");
    ir_buf_str(b, "fn @f(%v0: f32[8]) -> (f32[]) {\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = call %%v%d {body=@g} : f32[8]\n", i, i - 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

/* Each function is called twice by the next one: 2^n calls of the first. */
void
grow_doubled_calls(ir_buf *b, int n)
{
    write_large(b, "f0");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            "fn @f%d(%%x: f32[8]) -> (f32[8]) {\n %%0 = call %%x {body=@f%d} : f32[8]\n"
            " %%1 = call %%0 {body=@f%d} : f32[8]\n ret %%1\n}\n",
            i, i - 1, i - 1);
}

void
grow_conds(ir_buf *b, int n)
{
    ir_buf_printf(b, "%sfn @f(%%v0: f32[8], %%p: bool[]) -> (f32[]) {\n", leaf);
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = cond %%p, %%v%d {branches=[@g, @h]} : f32[8]\n", i, i - 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

void
grow_nested_conds(ir_buf *b, int n)
{
    ir_buf_str(
        b, "fn @f0(%x: f32[8], %p: bool[]) -> (f32[8]) {\n %0 = sin %x : f32[8]\n ret %0\n}\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      "fn @f%d(%%x: f32[8], %%p: bool[]) -> (f32[8]) {\n %%0 = cond %%p, %%x, "
                      "%%p {branches=[@f%d, @f%d]} : f32[8]\n ret %%0\n}\n",
                      i, i - 1, i - 1);
}

void
grow_branches(ir_buf *b, int n)
{
    for (int i = 0; i < n; i++)
        ir_buf_printf(b,
                      "fn @b%d(%%x: f32[8]) -> (f32[8]) {\n %%c = constant {data=%d.5} : "
                      "f32[8]\n %%0 = mul %%x, %%c : f32[8]\n ret %%0\n}\n",
                      i, i);
    ir_buf_str(b, "fn @f(%i: i32[], %x: f32[8]) -> (f32[8]) {\n %0 = cond %i, %x {branches=[");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s@b%d", i ? ", " : "", i);
    ir_buf_str(b, "]} : f32[8]\n ret %0\n}\n");
}

/* n arguments of that kind ("inout " or ""), and a result for each. */
static void
write_ports(ir_buf *b, int n, const char *kind)
{
    ir_buf_str(b, "fn @f(");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s%%x%d: %sf32[8]", i ? ", " : "", i, kind);
    ir_buf_str(b, ") -> (");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%sf32[8]", i ? ", " : "");
    ir_buf_str(b, ") {\n");
}

static void
write_results(ir_buf *b, int n)
{
    ir_buf_str(b, " ret ");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s%%y%d", i ? ", " : "", i);
    ir_buf_str(b, "\n}\n");
}

/* Parameters that an optimiser updates in place; one in eight is computed from another's old
 * value. */
void
grow_inouts(ir_buf *b, int n)
{
    write_ports(b, n, "inout ");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, " %%s%d = sin %%x%d : f32[8]\n %%y%d = mul %%s%d, %%x%d : f32[8]\n", i,
                      i % 8 ? i : (i + n / 2) % n, i, i, i);
    write_results(b, n);
}

/* Loops whose carries are arguments, which may be donated. */
void
grow_scans(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @step(%k: f32[8]) -> (f32[8]) {\n %s = reduce_sum %k {axes=[0]} : f32[]\n"
                  " %t = broadcast_in_dim %s {shape=[8], dims=[]} : f32[8]\n"
                  " %0 = mul %k, %t : f32[8]\n ret %0\n}\n");
    write_ports(b, n, "");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b,
                      " %%y%d = scan %%x%d {consts=0, carries=1, length=100, body=@step} : "
                      "f32[8]\n",
                      i, i);
    write_results(b, n);
}

/* A loop whose step has n parts, and stacks two values of each for the loop behind it. */
void
grow_stacked(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @forward(%z0: f32[64]) -> (f32[64]");
    for (int i = 0; i < n; i++)
        ir_buf_str(b, ", f32[64], bool[64]");
    ir_buf_str(b, ") {\n %c = constant {data=0} : f32[64]\n");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b,
                      " %%a%d = sin %%z%d : f32[64]\n %%z%d = max %%a%d, %%c : f32[64]\n"
                      " %%l%d = lt %%c, %%a%d : bool[64]\n",
                      i, i, i + 1, i, i, i);
    ir_buf_printf(b, " ret %%z%d", n);
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, ", %%z%d, %%l%d", i + 1, i);
    ir_buf_str(b, "\n}\nfn @reverse(%d0: f32[64]");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, ", %%r%d: f32[64], %%l%d: bool[64]", i, i);
    ir_buf_str(b, ") -> f32[64] {\n");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, " %%d%d = select %%l%d, %%d%d, %%r%d : f32[64]\n", i + 1, i, i, i);
    ir_buf_printf(b,
                  " ret %%d%d\n}\nfn @f(%%z: f32[64], %%d: f32[64]) -> (f32[64], f32[64]) {\n"
                  " %%y",
                  n);
    for (int i = 0; i < 2 * n; i++)
        ir_buf_printf(b, ", %%s%d", i);
    ir_buf_str(b, " = scan %z {carries=1, length=32, body=@forward} : (f32[64]");
    for (int i = 0; i < n; i++)
        ir_buf_str(b, ", f32[32,64], bool[32,64]");
    ir_buf_str(b, ")\n %x = scan %d");
    for (int i = 0; i < 2 * n; i++)
        ir_buf_printf(b, ", %%s%d", i);
    ir_buf_str(b, " {carries=1, length=32, reverse=true, body=@reverse} : f32[64]\n"
                  " ret %y, %x\n}\n");
}
