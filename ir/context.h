/* The context, inside: arenas, interned types, locations, the error record, options. */
#ifndef IR_CONTEXT_H
#define IR_CONTEXT_H

#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "cotrace/base.h"
#include "ir/arena.h"
#include "ir/loc.h"
#include "ir/map.h"
#include "ir/type.h"

/* A point to which a failed allocation returns.  They nest. */
typedef struct ir_recover {
    jmp_buf jump;
    struct ir_recover *outer;
} ir_recover;

/* What a folder above keeps in the context: freed with it, in reverse order of registration. */
typedef struct ir_attached {
    struct ir_attached *next;
    const void *key;                    /* the address of a static of the owner */
    void *data;
    void (*release)(void *data);
} ir_attached;

/* An axis that a vmap names, innermost first. */
typedef struct ir_named_axis {
    const struct ir_named_axis *outer;
    const char *name;
    int64_t size;
} ir_named_axis;

/* The switches of cot_options and of the environment, resolved once (config.c). */
typedef struct ir_config {
    const char *dump, *dump_fn, *dump_dir, *off, *target, *driver, *profile;
    int verify; /* 0 ... 2, as in cot_options */
    bool time, debug, perf, isolate, trapping_math, trap, tiered;
    bool counted; /* runs and times of kernels: runtime/profile.h */
    int threads, compile_threads, vector_bits;
    const char *cache_dir; /* the option: see ir_config_cache_dir */
    uint64_t cache_dir_bytes, cache_bytes;
} ir_config;

/* The public call that is running and its location, for errors; loc 0: none. */
typedef struct ir_here {
    ir_loc loc;
    const char *op;
} ir_here;

struct cot_context {
    ir_arena arena;                     /* what lives as long as the context           */
    ir_map types;                       /* interned: ir_type                           */
    const ir_type **type;
    uint32_t n_types, cap_types;
    ir_loc_table locs;
    ir_map texts;                       /* interned: strings of attributes              */
    const char **text;
    uint32_t n_texts, cap_texts;
    ir_config config;
    /* A variable of the environment that is no number, or NULL; its value. */
    const char *no_number, *no_number_is;
    cot_status status;                  /* the first error, sticky until cleared       */
    char *message;
    char short_of[64]; /* the message where memory was short, or "" */
    ir_arena message_arena;
    ir_here here;                       /* for errors that know no place: those of types */
    ir_recover *recover;
    ir_attached *attached;
    pthread_mutex_t lock;               /* recursive: a miss in a cache, a trace        */
    uint32_t serial;                    /* of traces                                   */
    struct ir_follow *follow; /* who follows values through passes (follow.h); or NULL */
    /* arenas that are lent, that were given back, and all of these and those kept: lent.h */
    struct ir_lent *lent, *spare, *lendable;
    uint64_t lent_serial, lent_before; /* the last one, and that before the call at hand */
    struct cot_trace *trace;            /* the innermost open one; the frontend's      */
    struct cot_trace *forgotten;        /* failed ones, whose memory the next take      */
    struct cot_trace *latest;           /* the one begun last, open or ended           */
    uint64_t jit_calls; /* calls of cot_jit, with config.cache_bytes   */
    /* the generator: each call that draws takes the next number */
    _Atomic uint64_t seed, calls;
    /* of the vmaps around the trace at hand; the frontend's */
    const struct ir_named_axis *axes;
    bool unfolded; /* graphs are built without folds and without sharing of equal nodes */
    bool small_passes; /* passes for kernels change what is small, too: used by tests */
    bool shares_all; /* threads share loops however short they are: used by tests */
    bool folds_shapes; /* but numbers are folded: StableHLO is read */
    /* what the trace at hand is inside; the frontend's */
    const struct ir_around *around;
    /* of the level of vmap that is made: pass_randomness */
    int randomness;
    uint32_t dump_count;                /* numbers the files of COT_DUMP_DIR           */
    void *(*realloc)(void *user, void *old, size_t bytes);
    void *alloc_user;
    struct ir_meter *meter; /* limits.bytes; NULL: none (limit.h)          */
    cot_limits limits;
    uint64_t made; /* nodes, in the call at hand                  */
    double began; /* when that was, in seconds                   */
    struct {
        void (*call)(void *user, const cot_progress *at); /* NULL: nobody asks */
        void *user;
        double after, next; /* seconds: the first report of a call; the time of the next */
        bool told; /* this call has reported */
        cot_progress at;
    } progress;
    const char *own; /* cot_options.own */
    int columns; /* cot_options.columns */
    int spread_axis; /* of the scans that vmap makes of groups: that of the attribute */
    const struct cot_comm *comm; /* of several processes; NULL: this one alone */
    fenv_t outside; /* the caller's environment                  */
    atomic_int cancelled; /* set by cot_cancel; kernels in this process read it, too */
    /* The context that this one works for, in a thread of its own: code that is compiled here
     * reads the flag of that context, and its cancellation is this one's, too. NULL: none. */
    cot_context *owner;
};

static inline bool
ir_is_cancelled(const cot_context *ctx)
{
    return atomic_load_explicit(&ctx->cancelled, memory_order_relaxed) ||
           (ctx->owner && atomic_load_explicit(&ctx->owner->cancelled, memory_order_relaxed));
}

/* The transforms and functions around a trace, innermost first. */
typedef struct ir_around {
    const struct ir_around *outer;
    const char *how;                    /* "vmap"; the name of the function that calls */
    ir_loc loc;
} ir_around;

/* The recovery point around; where there is none a public call begins, and its limits with
 * it.  Until it ends the floating-point environment is the default one: what is folded, read
 * and printed depends on no mode of the caller's and raises nothing that it sees. */
void ir_begin_call(cot_context *ctx);
void ir_end_call(cot_context *ctx);
static inline ir_recover *
ir_outer(cot_context *ctx)
{
    if (!ctx->recover)
        ir_begin_call(ctx);
    return ctx->recover;
}
static inline void
ir_leave(cot_context *ctx, ir_recover *outer)
{
    ctx->recover = outer;
    if (!outer)
        ir_end_call(ctx);
}

/* Run the block after IR_TRY; if memory runs short inside, run the block after IR_CAUGHT
 * instead:
 *     IR_TRY(ctx) { ...no return, no goto out of it... } IR_CAUGHT(ctx) { status =
 *     COT_ERR_MEMORY; }
 * Locals changed inside and read after must be volatile, as with setjmp. */
#define IR_TRY(ctx)                                                                            \
    for (ir_recover ir_r_ = { .outer = ir_outer(ctx) }, *ir_p_ = &ir_r_; ir_p_;                \
         ir_leave(ctx, ir_r_.outer), ir_p_ = NULL)                                             \
        if ((ctx)->recover = &ir_r_, setjmp(ir_r_.jump) == 0)
#define IR_CAUGHT(ctx) else

/* Raw memory from the context's allocator, for what outlives arenas; jumps when short. */
void *ir_realloc(cot_context *ctx, void *old, size_t bytes);
void ir_free(cot_context *ctx, void *p);
_Noreturn void ir_out_of_memory(cot_context *ctx);
/* The same, with the bytes that were asked for. */
_Noreturn void ir_short_of_memory(cot_context *ctx, size_t bytes);
/* Is its allocator the C library's, which any thread may call? */
bool ir_allocates_by_libc(const cot_context *ctx);

/* The one copy of a string in the context. */
const char *ir_intern(cot_context *ctx, const char *s);

void ir_attach(cot_context *ctx, const void *key, void *data, void (*release)(void *));
void *ir_attached_find(const cot_context *ctx, const void *key);

#endif
