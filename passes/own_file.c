/* A program for files, which is handed its communicator when it is called.
 *
 * Processes that own as many groups run the same graph: what else depends on the rank is found
 * by the calls of C code (pass_world.any).  So a file has a body for each of these graphs, and
 * the program is a cond over them.  Each call of C code gets the communicator, which is the
 * first argument of the program, of each body, and of each function within that makes such
 * calls; a prototype, by which its function is linked; and memory, which is a result, so
 * that it is in the work block while the call runs, or until its second half has.
 *
 * Wants: graphs of pass_own with .any.  Gives: the same function, bit for bit, with the
 * communicator before its arguments. */
#include "passes/own.h"

/* What is handed to C code as a cot_comm: its bytes on any machine, should they be copied. */
enum { COMM_BYTES = 64 };

#define HEAD "status = int cot_rt_world_"
static const struct {
    const char *name, *prototype;
} calls[] = {
    { PASS_WORLD_GATHER, HEAD "gather(const void *in0, const void *in1, void *out0, "
                              "void *out1, int64_t attr0, int64_t attr1, int64_t attr2)" },
    { PASS_WORLD_START_MOVE,
      HEAD "start_move(const void *in0, const void *in1, const int64_t *in2, void *out0, "
           "int64_t attr0, int64_t attr1, int64_t attr2, int64_t attr3, int64_t attr4)" },
    { PASS_WORLD_MOVE, HEAD
      "move(const void *in0, const void *in1, const int64_t *in2, const void *in3, void *out0, "
      "int64_t attr0, int64_t attr1, int64_t attr2, int64_t attr3, int64_t attr4)" },
    { PASS_WORLD_REDUCE, HEAD "reduce(const void *in0, const void *in1, void *out0, "
                              "void *out1, int64_t attr0, int64_t attr1, int64_t attr2, "
                              "int64_t attr3, int64_t attr4, int64_t attr5)" },
    { PASS_WORLD_START_SUMS,
      HEAD "start_sums_of(const void *in0, const int64_t *in1, const void *in2, const void "
           "*in3, const void *in4, const void *in5, const void *in6, const void *in7, const "
           "void *in8, const void *in9, const void *in10, const void *in11, const void "
           "*in12, const void *in13, const void *in14, const void *in15, const void *in16, "
           "const void *in17, void *out0, int64_t attr0, int64_t attr1)" },
    { PASS_WORLD_SUMS,
      HEAD "sums_of(const void *in0, const void *in1, const void *in2, const void *in3, "
           "const void *in4, const void *in5, const void *in6, const void *in7, const void "
           "*in8, const void *in9, const void *in10, const void *in11, const void *in12, "
           "const void *in13, const void *in14, const void *in15, const void *in16, const "
           "void *in17, void *out0, void *out1, void *out2, void *out3, void *out4, void "
           "*out5, void *out6, void *out7, void *out8, void *out9, void *out10, void *out11, "
           "void *out12, void *out13, void *out14, void *out15)" },
    { PASS_WORLD_ROWS, HEAD "rows(const void *in0, int64_t *out0, int64_t attr0, "
                            "int64_t attr1)" },
};
static const char begin[] = HEAD "begin(const void *in0, const int64_t *in1, "
                                 "const int64_t *in2, int32_t *out0, int64_t attr0, "
                                 "int64_t attr1)",
                  note[] = HEAD "note(const void *in0, const int64_t *in1, int64_t *out0, "
                                "int64_t attr0)";

typedef struct own_file {
    const pass_file *file;
    ir_ref comm; /* in the graph that is being made */
} own_file;

static const char *
prototype_of(const ir_node *n)
{
    for (size_t i = 0; ir_ops[n->op].record == IR_AT_custom && i < sizeof calls / sizeof *calls;
         i++)
        if (strcmp(n->at->custom.name, calls[i].name) == 0)
            return calls[i].prototype;
    return NULL;
}

/* Does f, or a function within, call this C code? */
static bool
is_together(const ir_graph *f, ir_arena *a)
{
    const ir_graph *const *all;

    for (uint32_t i = 0, n = ir_all_graphs(f, false, &all, a); i < n; i++)
        ir_each_node (node, all[i])
            if (prototype_of(node))
                return true;
    return false;
}

static const ir_type *
bytes_type(ir_build *b, int64_t n)
{
    return ir_type_new(b->ctx, COT_U8, 1, &n);
}

static ir_ref
comm_input(ir_build *b)
{
    return ir_input(b, bytes_type(b, COMM_BYTES), "comm");
}

static bool
is_named(const ir_node *n, const char *name)
{
    return strcmp(n->at->custom.name, name) == 0;
}

/* Room of a call. */
static const ir_type *
room_type(const own_file *o, ir_build *b, const ir_node *n)
{
    const ir_attrs *at = n->at;

    return bytes_type(b,
                      o->file->room(o->file->user, at->custom.name, at->custom.attrs.at) + 1);
}

static ir_ref
table(ir_build *b, ir_ints attrs, int from)
{
    const int64_t n = attrs.n - from;

    return ir_constant(b, ir_type_new(b->ctx, COT_I64, 1, &n), attrs.at + from);
}

/* A half of several sums: the first one takes their table, the second one the room, and the
 * rows only for them to be there.  Operands and results that are not there have the form of
 * others, so that any number of sums has one prototype. */
static void
visit_sums(const own_file *o, ir_build *b, const ir_graph *f, const ir_node *n,
           const ir_ref *in, ir_ref *out)
{
    const ir_ints attrs = n->at->custom.attrs;
    const bool starts = is_named(n, PASS_WORLD_START_SUMS);
    const int count = (int)attrs.at[1];
    const ir_type *t[PASS_MAX_REDUCED];
    ir_ref operand[PASS_MAX_REDUCED + 2], y[PASS_MAX_REDUCED] = { IR_NONE };
    int k = 0;

    operand[k++] = o->comm;
    if (starts)
        operand[k++] = table(b, attrs, PASS_REDUCE_TABLE);
    for (int i = 0; i < PASS_MAX_REDUCED; i++) {
        operand[k++] = in[i < count ? i : 0];
        t[i] = i < n->n_out ? ir_type_at(f, n->first + (ir_ref)i) : bytes_type(b, 1);
    }
    if (starts)
        t[0] = room_type(o, b, n);
    else
        operand[k++] = in[count];
    pass_own_calls(b, n->at->custom.name, prototype_of(n),
                   starts ? pass_numbers(b, 2, (int64_t[]){ attrs.at[1], attrs.at[0] })
                          : (ir_ints){ 0, NULL },
                   k, operand, starts ? 1 : PASS_MAX_REDUCED, t, y);
    memcpy(out, y, sizeof *out * (size_t)n->n_out);
}

/* A half of a move, whose runs become an operand. */
static void
visit_move(const own_file *o, ir_build *b, const ir_graph *f, const ir_node *n,
           const ir_ref *in, ir_ref *out)
{
    const bool starts = is_named(n, PASS_WORLD_START_MOVE);
    const ir_ints attrs = n->at->custom.attrs;
    const ir_type *t = starts ? room_type(o, b, n) : ir_type_at(f, n->first);

    pass_own_calls(
        b, n->at->custom.name, prototype_of(n), (ir_ints){ PASS_MOVE_RUNS, attrs.at },
        starts ? 3 : 4,
        (ir_ref[]){ o->comm, in[0], table(b, attrs, PASS_MOVE_RUNS), starts ? IR_NONE : in[1] },
        1, &t, out);
}

/* A call of pass_own. */
static void
visit_call(const own_file *o, ir_build *b, const ir_graph *f, const ir_node *n,
           const ir_ref *in, ir_ref *out)
{
    const bool sum = is_named(n, PASS_WORLD_REDUCE);
    const ir_ints attrs = { n->at->custom.attrs.n - sum, n->at->custom.attrs.at };
    const ir_type *t[2] = { ir_type_at(f, n->first), NULL };
    ir_ref y[2] = { IR_NONE };

    if (is_named(n, PASS_WORLD_START_SUMS) || is_named(n, PASS_WORLD_SUMS)) {
        visit_sums(o, b, f, n, in, out);
        return;
    }
    if (is_named(n, PASS_WORLD_START_MOVE) || is_named(n, PASS_WORLD_MOVE)) {
        visit_move(o, b, f, n, in, out);
        return;
    }
    const bool rows = is_named(n, PASS_WORLD_ROWS);
    if (!rows)
        t[1] = room_type(o, b, n);
    pass_own_calls(b, n->at->custom.name, prototype_of(n), attrs, rows ? 1 : 2,
                   (ir_ref[]){ o->comm, in[0] }, rows ? 1 : 2, t, y);
    out[0] = y[0];
}

static cot_status thread(ir_graph *f, const void *user, ir_graph **out);

/* A node with functions within that make such calls: all of them take the communicator before
 * what they have in common. */
static void
visit_flow(const own_file *o, ir_build *b, const ir_node *n, const ir_ref *in, ir_ref *out)
{
    const ir_record record = (ir_record)ir_ops[n->op].record;
    const int at = record == IR_AT_cond; /* behind the index */
    ir_ref *more = IR_NEW_N(b->arena, ir_ref, n->n_in + 2);
    ir_attrs attrs;

    b->status = pass_replace_subs(b, n, thread, o, &attrs);
    if (b->status != COT_OK)
        return;
    int64_t *consts = ir_attrs_consts(record, &attrs);
    if (consts)
        ++*consts;
    memcpy(more, in, sizeof *in * (size_t)at);
    more[at] = o->comm;
    memcpy(more + at + 1, in + at, sizeof *in * (size_t)(n->n_in - at));
    ir_add_node(b, (ir_op)n->op, n->n_in + 1, more, &attrs, out);
}

static bool
calls_together(const ir_node *n, ir_arena *a)
{
    ir_graph *const *sub;
    bool any = false;

    if (!ir_runs_bodies(n->op))
        return false;
    for (int i = 0, count = ir_subgraphs(n, &sub, a); i < count && !any; i++)
        any = is_together(sub[i], a);
    return any;
}

/* f with the communicator before its arguments. */
static cot_status
thread(ir_graph *f, const void *user, ir_graph **out)
{
    own_file o = *(const own_file *)user;
    ir_build *b = ir_build_like(f, f->name);
    ir_ref *env = IR_NEW_N(b->arena, ir_ref, f->n_values);

    b->uncontracted = f->uncontracted;
    b->guarded = f->guarded;
    b->contracted = f->contracted;
    o.comm = comm_input(b);
    for (int i = 0; i < f->n_in; i++)
        env[f->in[i]] = ir_input_like(b, f, f->in[i], "");
    for (uint32_t i = 1; i < f->n_nodes && b->status == COT_OK; i++) {
        const ir_node *n = &f->node[i];
        ir_ref *in = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        for (int k = 0; k < n->n_in; k++)
            in[k] = env[n->in[k]];
        b->loc = n->loc;
        if (prototype_of(n))
            visit_call(&o, b, f, n, in, env + n->first);
        else if (calls_together(n, b->arena))
            visit_flow(&o, b, n, in, env + n->first);
        else
            ir_copy_node(b, n, in, env + n->first);
    }
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, env[f->out[j]], "");
    return pass_end(b, "own", out);
}

/* The number of the body that this process runs; in: the communicator and n arguments. */
static ir_ref
begin_call(ir_build *b, const pass_file *file, int n, const ir_ref *in)
{
    const int64_t entries = file->n_table;
    const ir_type *t = ir_type_new(b->ctx, COT_I32, 0, NULL);
    const ir_ref table = ir_constant(b, ir_type_new(b->ctx, COT_I64, 1, &entries), file->table);
    ir_ref *whole = IR_NEW_N(b->arena, ir_ref, n + 1), y = IR_NONE;

    for (int i = 0; i < n; i++)
        whole[i] = file->spread && file->spread[i] ? IR_NONE : in[1 + i];
    const ir_ref noted = pass_own_noted(b, note, n, whole);
    pass_own_calls(b, PASS_WORLD_BEGIN, begin,
                   pass_numbers(b, 2, (int64_t[]){ entries, (int64_t)file->hash }), 3,
                   (ir_ref[]){ in[0], table, noted }, 1, &t, &y);
    return y;
}

cot_status
pass_own_file(const ir_graph *f, const pass_file *file, ir_graph **out)
{
    ir_build *b = ir_build_like(f, f->name);
    const own_file o = { file, IR_NONE };
    ir_graph **body = IR_NEW_N(b->arena, ir_graph *, file->n);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in + 2),
           *y = IR_NEW_N(b->arena, ir_ref, f->n_out + 1);

    b->uncontracted = f->uncontracted;
    b->guarded = f->guarded;
    b->contracted = f->contracted;
    for (int k = 0; k < file->n; k++)
        COT_TRY(thread(file->body[k], &o, &body[k]));
    in[1] = comm_input(b);
    for (int i = 0; i < f->n_in; i++)
        in[i + 2] = ir_input_like(b, f, f->in[i], "");
    in[0] = begin_call(b, file, f->n_in, in + 1);
    if (b->status == COT_OK)
        ir_add_node(b, OP_cond, f->n_in + 2, in,
                    &(ir_attrs){ .cond = { .branches = { file->n, body } } }, y);
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, y[j], "");
    COT_TRY(pass_end(b, "own", out));
    ir_inout *inout = ir_copy_bytes((*out)->arena, f->inout, sizeof *inout * f->n_inout);
    for (int k = 0; k < f->n_inout; k++)
        inout[k].arg++;
    (*out)->n_inout = f->n_inout;
    (*out)->inout = inout;
    return COT_OK;
}
