/* SHA-256 against the standard's examples. */
#include "ir/digest.h"

#include "tests/unit/suite.h"

/* FIPS 180-4's examples, and lengths about a block's end, added in two parts. */
START_TEST(digests)
{
    static const struct {
        const char *text, *want;
        int times;
    } row[] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 1 },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", 1 },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", 1 },
        { "a", "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", 1000000 },
        { "a", "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318", 55 },
        { "a", "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a", 56 },
        { "a", "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb", 64 },
    };
    ir_digest_state s;
    char hex[65];

    ir_digest_begin(&s);
    for (int i = 0; i < row[_i].times; i++)
        ir_digest_add(&s, row[_i].text, strlen(row[_i].text));
    const ir_digest d = ir_digest_end(&s);
    ir_digest_hex(&d, hex);
    ck_assert_str_eq(hex, row[_i].want);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { EACH(digests, 7) };
    return SUITE("digest", cases);
}
