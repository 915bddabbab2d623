/* Functions that an object defines itself, as LLVM text.
 *
 * A machine without a C library has no memcpy (libgcc does not define it), and no square root
 * of f64 if the processor lacks one.  The root is computed bit by bit (the digit method): with
 * x = m 2^(2k), 2^52 <= root(m 2^54) < 2^54, so that its 54 bits are the 53 of the result and
 * one more, which together with the remainder decides the rounding.  Neither overflow nor a
 * subnormal result is possible.  Source: J. Crenshaw, Integer square roots, Embedded Systems
 * Programming 1998. */
#include "codegen/llvm/llvm.h"

/* Copies words where both addresses are aligned: copying bytes is four times as slow. */
static const char copy_text[] =
    "define void @cot.copy(ptr %to, ptr %from, i64 %bytes) noinline nounwind {\n"
    "  %n = trunc i64 %bytes to i32\n"
    "  %t = ptrtoint ptr %to to i32\n"
    "  %f = ptrtoint ptr %from to i32\n"
    "  %o = or i32 %t, %f\n"
    "  %low = and i32 %o, 3\n"
    "  %fit = icmp eq i32 %low, 0\n"
    "  %most = and i32 %n, -4\n"
    "  %words = select i1 %fit, i32 %most, i32 0\n"
    "  br label %word\n"
    "word:\n"
    "  %i = phi i32 [ 0, %0 ], [ %i4, %move ]\n"
    "  %more = icmp ult i32 %i, %words\n"
    "  br i1 %more, label %move, label %byte\n"
    "move:\n"
    "  %fp = getelementptr i8, ptr %from, i32 %i\n"
    "  %tp = getelementptr i8, ptr %to, i32 %i\n"
    "  %w = load i32, ptr %fp, align 4\n"
    "  store i32 %w, ptr %tp, align 4\n"
    "  %i4 = add i32 %i, 4\n"
    "  br label %word\n"
    "byte:\n"
    "  %j = phi i32 [ %i, %word ], [ %j1, %last ]\n"
    "  %rest = icmp ult i32 %j, %n\n"
    "  br i1 %rest, label %last, label %done\n"
    "last:\n"
    "  %fq = getelementptr i8, ptr %from, i32 %j\n"
    "  %tq = getelementptr i8, ptr %to, i32 %j\n"
    "  %c = load i8, ptr %fq\n"
    "  store i8 %c, ptr %tq\n"
    "  %j1 = add i32 %j, 1\n"
    "  br label %byte\n"
    "done:\n"
    "  ret void\n"
    "}\n";

/* Normalised, m has its highest bit at 52, or at 53 where the exponent is odd; the loop
 * computes root(m 2^54). */
static const char sqrt_text[] =
    "declare i64 @llvm.ctlz.i64(i64, i1)\n"
    "define double @cot.sqrt(double %x) noinline nounwind {\n"
    "  %w = bitcast double %x to i64\n"
    "  %twice = shl i64 %w, 1\n"
    "  %zero = icmp eq i64 %twice, 0\n"
    "  br i1 %zero, label %same, label %some\n"
    "same:\n"
    "  ret double %x\n"
    "some:\n"
    "  %neg = icmp slt i64 %w, 0\n"
    "  br i1 %neg, label %bad, label %real\n"
    "bad:\n"
    "  ret double 0x7FF8000000000000\n"
    "real:\n"
    "  %huge = icmp uge i64 %w, 9218868437227405312\n"
    "  br i1 %huge, label %special, label %finite\n"
    "special:\n"
    "  %quiet = fadd double %x, %x\n"
    "  ret double %quiet\n"
    "finite:\n"
    "  %e0 = lshr i64 %w, 52\n"
    "  %frac = and i64 %w, 4503599627370495\n"
    "  %sub = icmp eq i64 %e0, 0\n"
    "  %lz = call i64 @llvm.ctlz.i64(i64 %frac, i1 false)\n"
    "  %up = sub i64 %lz, 11\n"
    "  %m1 = shl i64 %frac, %up\n"
    "  %e1 = sub i64 1, %up\n"
    "  %m2 = or i64 %frac, 4503599627370496\n"
    "  %m = select i1 %sub, i64 %m1, i64 %m2\n"
    "  %e = select i1 %sub, i64 %e1, i64 %e0\n"
    "  %t = sub i64 %e, 1023\n"
    "  %odd = and i64 %t, 1\n"
    "  %sig = shl i64 %m, %odd\n"
    "  %half = ashr i64 %t, 1\n"
    "  br label %digit\n"
    /* sig < 2^54: each step takes two bits of sig 2^54 and gives one of 54 digits. */
    "digit:\n"
    "  %i = phi i64 [ 0, %finite ], [ %i1, %digit ]\n"
    "  %root = phi i64 [ 0, %finite ], [ %root1, %digit ]\n"
    "  %rem = phi i64 [ 0, %finite ], [ %rem1, %digit ]\n"
    "  %left = phi i64 [ %sig, %finite ], [ %left1, %digit ]\n"
    "  %two = lshr i64 %left, 52\n"
    "  %two2 = and i64 %two, 3\n"
    "  %rem4 = shl i64 %rem, 2\n"
    "  %r = or i64 %rem4, %two2\n"
    "  %left1 = shl i64 %left, 2\n"
    "  %root4 = shl i64 %root, 2\n"
    "  %try = or i64 %root4, 1\n"
    "  %fits = icmp uge i64 %r, %try\n"
    "  %less = sub i64 %r, %try\n"
    "  %rem1 = select i1 %fits, i64 %less, i64 %r\n"
    "  %root2 = shl i64 %root, 1\n"
    "  %one = zext i1 %fits to i64\n"
    "  %root1 = or i64 %root2, %one\n"
    "  %i1 = add i64 %i, 1\n"
    "  %more = icmp ult i64 %i1, 54\n"
    "  br i1 %more, label %digit, label %round\n"
    "round:\n"
    /* A tie cannot occur: the square of a number of 54 bits that ends in 1 has more bits than
     * m. */
    "  %last = and i64 %root1, 1\n"
    "  %q = lshr i64 %root1, 1\n"
    "  %q1 = add i64 %q, %last\n"
    "  %h1 = add i64 %half, 1022\n"
    "  %h2 = shl i64 %h1, 52\n"
    "  %bits = add i64 %h2, %q1\n"
    "  %y = bitcast i64 %bits to double\n"
    "  ret double %y\n"
    "}\n";

static const struct {
    const char *name, *text;
} builtin[] = { { "cot.copy", copy_text }, { "cot.sqrt", sqrt_text } };
enum { N_BUILTINS = sizeof builtin / sizeof *builtin };

/* Give the linked functions the target and the processor of all others. */
static void
adopt(cg_ll_module *l, LLVMModuleRef from)
{
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(l->machine->tm);

    LLVMSetModuleDataLayout(from, layout);
    LLVMDisposeTargetData(layout);
    LLVMSetTarget(from, l->machine->triple);
    for (LLVMValueRef fn = LLVMGetFirstFunction(from); fn; fn = LLVMGetNextFunction(fn))
        if (!LLVMIsDeclaration(fn))
            cg_ll_name_processor(l, fn);
}

/* Functions become internal only after linking, since the linker drops internal functions that
 * nothing uses yet. */
static void
hide(cg_ll_module *l)
{
    size_t n;

    for (LLVMValueRef fn = LLVMGetFirstFunction(l->module); fn; fn = LLVMGetNextFunction(fn))
        if (strncmp(LLVMGetValueName2(fn, &n), "cot.", 4) == 0)
            LLVMSetLinkage(fn, LLVMInternalLinkage);
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        if (strncmp(LLVMGetValueName2(g, &n), "cot.", 4) == 0)
            LLVMSetLinkage(g, LLVMInternalLinkage);
}

cot_status
cg_ll_link_text(cg_ll_module *l, const char *text)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "builtin");
    LLVMModuleRef from = NULL;
    char *message = NULL;
    bool bad = LLVMParseIRInContext(l->llvm, buffer, &from, &message);

    if (!bad) {
        adopt(l, from);
        bad = LLVMLinkModules2(l->module, from);
        hide(l);
    }
    cot_status s =
        bad ? cg_ll_fail(l->ctx, "LLVM: %s", message ? message : "a builtin does not link")
            : COT_OK;
    LLVMDisposeMessage(message);
    return s;
}

LLVMValueRef
cg_ll_builtin(cg_ll_module *l, LLVMBuilderRef b, const char *name, int n, LLVMValueRef *args)
{
    LLVMValueRef fn = LLVMGetNamedFunction(l->module, name);

    for (int i = 0; i < N_BUILTINS && !fn; i++)
        if (strcmp(builtin[i].name, name) == 0 && cg_ll_link_text(l, builtin[i].text) == COT_OK)
            fn = LLVMGetNamedFunction(l->module, name);
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args, (unsigned)n, "");
}
