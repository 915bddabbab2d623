/* Which groups wait for which: what cg_deps_wait says as dependences come and go, and where it
 * gives up. */
#include "codegen/fuse/deps.h"
#include "tests/unit/suite.h"

enum { LOOKS = 4096 }; /* dependences that a search follows */

static ir_arena arena, scratch;
static cg_deps d;

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
    ir_arena_init(&scratch, ctx);
    cg_deps_init(&d, &arena, &scratch);
}

static void
teardown(void)
{
    ir_arena_free(&scratch);
    ir_arena_free(&arena);
    suite_end();
}

/* 3 waits for 1 by way of 2, and for 0; then 2 waits for none. */
START_TEST(waiting_goes_through_others)
{
    for (int i = 0; i < 4; i++)
        cg_deps_push(&d);
    cg_deps_add(&d, 2, 1);
    cg_deps_add(&d, 3, 2);
    cg_deps_add(&d, 3, 0);
    ck_assert(cg_deps_wait(&d, 3, 2) && !cg_deps_wait_through(&d, 3, 2));
    ck_assert(cg_deps_wait(&d, 3, 1) && cg_deps_wait_through(&d, 3, 1));
    ck_assert(cg_deps_wait(&d, 3, 0) && !cg_deps_wait_through(&d, 3, 0));
    ck_assert(!cg_deps_wait(&d, 2, 0) && !cg_deps_wait(&d, 1, 3) && !cg_deps_wait(&d, 3, 3));
    cg_deps_clear(&d, 2);
    ck_assert(!cg_deps_wait(&d, 3, 1) && cg_deps_wait(&d, 3, 2));
}
END_TEST

/* A group comes to wait for a later one: the order follows, and what it says of others
 * holds. */
START_TEST(the_order_follows)
{
    for (int i = 0; i < 5; i++)
        cg_deps_push(&d);
    cg_deps_add(&d, 1, 0);
    cg_deps_add(&d, 4, 3);
    cg_deps_add(&d, 1, 4);
    for (uint32_t g = 0; g < 5; g++)
        for (uint32_t x = 0; x < 5; x++)
            ck_assert_int_eq(cg_deps_wait(&d, g, x),
                             (g == 1 && (x == 0 || x == 3 || x == 4)) || (g == 4 && x == 3));
}
END_TEST

/* A search that follows 4,096 dependences ends with an answer; with one more it says that there
 * is a path, by which groups stay apart. */
START_TEST(a_long_search_gives_up)
{
    const uint32_t n = LOOKS + (uint32_t)_i;

    for (uint32_t i = 0; i < n + 2; i++)
        cg_deps_push(&d);
    for (uint32_t i = 1; i <= n; i++)
        cg_deps_add(&d, n + 1, i);
    ck_assert_int_eq(cg_deps_wait(&d, n + 1, 0), _i);
    ck_assert(cg_deps_wait(&d, n + 1, n));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(waiting_goes_through_others),
        ONCE(the_order_follows),
        EACH(a_long_search_gives_up, 2),
    };

    return SUITE_WITH("deps", cases, setup, teardown);
}
