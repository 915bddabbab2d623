/* Files of arrays that the system does not let be opened or written: no descriptor is free, a
 * folder has the name, the permissions lack, the disk is full.  Each is a status with the
 * file's name and the system's own words, and no part of a file is left behind. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "ir/context.h"
#include "tests/unit/loaded.h"

static const char *const ending[] = { "npy", "npz", "safetensors" };
enum { NPY, NPZ, SAFETENSORS, NOTHING_NPZ, FORMATS };

static cot_status
write_as(int format, const char *to, cot_array *a)
{
    const cot_state s = COT_STATE({ "x", a }), none = { 0 };

    return format == NPY ? cot_npy_write(ctx, to, a)
                         : cot_save(ctx, to, format == NOTHING_NPZ ? &none : &s);
}

static cot_status
read_as(int format, const char *from)
{
    cot_status status;
    cot_array *a;
    cot_state s;

    if (format == NPY) {
        status = cot_npy_read(ctx, from, &a);
        cot_array_free(a);
        return status;
    }
    status = cot_load(ctx, from, &s);
    cot_state_free(&s);
    return status;
}

static const char *
named(int format)
{
    char name[64];

    snprintf(name, sizeof name, "state.%s", ending[format == NOTHING_NPZ ? NPZ : format]);
    return fresh(name);
}

/* The status, and a message that begins with the file's name and has the system's words. */
static void
says_why(cot_status got, int error)
{
    const size_t n = strlen(path);

    ck_assert_msg(got == COT_ERR_IO, "%s: status %d: %s", path, (int)got, cot_error(ctx));
    ck_assert_msg(strncmp(cot_error(ctx), path, n) == 0 &&
                      strncmp(cot_error(ctx) + n, ": ", 2) == 0 &&
                      strstr(cot_error(ctx), strerror(error)),
                  "%s; wants %s: %s", cot_error(ctx), path, strerror(error));
    cot_error_clear(ctx);
}

/* With so much of a resource. */
static struct rlimit
limited(int resource, rlim_t most)
{
    struct rlimit old;

    ck_assert_int_eq(getrlimit(resource, &old), 0);
    ck_assert_int_eq(setrlimit(resource, &(struct rlimit){ most, old.rlim_max }), 0);
    return old;
}

static bool
has_format(int format)
{
    return format == NPY || (format == SAFETENSORS ? HAS_SAFETENSORS : HAS_NPZ);
}

START_TEST(descriptors_run_out)
{
    cot_array *a = cot_array_new(ctx, cot_f32(2));

    if (!has_format(_i))
        return;
    ck_assert_msg(write_as(_i, named(_i), a) == COT_OK, "%s", cot_error(ctx));
    for (int k = 0; k < 2; k++) {
        const struct rlimit old = limited(RLIMIT_NOFILE, 0);
        const cot_status got = k ? write_as(_i, named(_i), a) : read_as(_i, named(_i));

        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &old), 0);
        says_why(got, EMFILE);
    }
    ck_assert_msg(read_as(_i, named(_i)) == COT_OK, "%s",
                  cot_error(ctx)); /* what was there is whole */
    unlink(path);
    cot_array_free(a);
}
END_TEST

/* A folder of the file's name; and where the system asks, one that may not be read or
 * written. */
START_TEST(folders_and_permissions)
{
    cot_array *a = cot_array_new(ctx, cot_f32(2));

    if (!has_format(_i))
        return;
    ck_assert_int_eq(mkdir(named(_i), 0700), 0);
    says_why(read_as(_i, named(_i)), EISDIR);
    says_why(write_as(_i, named(_i), a), EISDIR);
    ck_assert_int_eq(rmdir(named(_i)), 0);
    ck_assert_int_eq(access(ir_format(&ctx->arena, "%s.part", named(_i)), F_OK), -1);
    if (geteuid() != 0) {
        ck_assert_int_eq(write_as(_i, named(_i), a), COT_OK);
        ck_assert_int_eq(chmod(path, 0), 0);
        says_why(read_as(_i, named(_i)), EACCES);
        unlink(path);
        ck_assert_int_eq(chmod(place, 0500), 0);
        const cot_status got = write_as(_i, named(_i), a);
        ck_assert_int_eq(chmod(place, 0700), 0);
        says_why(got, EACCES);
    }
    cot_array_free(a);
}
END_TEST

/* A disk that is full, and a file that may not grow, while small and large arrays are
 * written. */
START_TEST(no_room_for_a_file)
{
    const int64_t n = _i / FORMATS ? 100000 : 2;
    cot_array *a = cot_array_new(ctx, cot_type_new(COT_F32, 1, &n));
    const int format = _i % FORMATS;

    if (!has_format(format))
        return;
    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit old = limited(RLIMIT_FSIZE, 16);
    const cot_status got = write_as(format, named(format), a);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    says_why(got, EFBIG);
    ck_assert_int_eq(access(path, F_OK), -1); /* half a file is worse than none */
    ck_assert_int_eq(access(ir_format(&ctx->arena, "%s.part", path), F_OK), -1);
    struct stat s;
    if (stat("/dev/full", &s) == 0 && S_ISCHR(s.st_mode) && format != NPZ) {
        const char *link = format == SAFETENSORS
                               ? ir_format(&ctx->arena, "%s.part", named(format))
                               : named(format);

        ck_assert_int_eq(symlink("/dev/full", link), 0);
        says_why(write_as(format, named(format), a), ENOSPC);
        ck_assert_int_eq(unlink(link), 0); /* what is no file stays */
    }
    ck_assert_msg(write_as(format, named(format), a) == COT_OK, "%s", cot_error(ctx));
    unlink(path);
    cot_array_free(a);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(descriptors_run_out, FORMATS),
        EACH(folders_and_permissions, FORMATS),
        EACH(no_room_for_a_file, 2 * FORMATS),
    };

    if (!mkdtemp(place))
        return EXIT_FAILURE;
    const int status = SUITE("file_errors", cases);
    rmdir(place);
    return status;
}
