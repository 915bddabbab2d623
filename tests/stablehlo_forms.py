"""Modules in other forms: each file as JAX's own printer writes it, imported, is the graph that
the file is.

    stablehlo_forms.py COT FIRST STEP FILE...

For the files FIRST, FIRST + STEP, ...: in the generic form; in the generic form with the
locations of each op; and in the pretty form of the JAX that is installed, with locations.  A
line for each that differs, then the numbers; the exit status is 1 if one does, 77 without JAX.
"""
import os
import subprocess
import sys
import tempfile

try:
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
except ImportError as e:
    print(f"no JAX: {e}")
    sys.exit(77)

FORMS = {
    "generic": dict(print_generic_op_form=True),
    "generic, with locations": dict(print_generic_op_form=True, enable_debug_info=True,
                                    large_elements_limit=None),
    "pretty, with locations": dict(enable_debug_info=True, pretty_debug_info=False,
                                   use_local_scope=True),
}


def graph(cot, path):
    done = subprocess.run([cot, "opt", path], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else "refused: " + done.stderr.replace(path,
        "").split("\n")[0].split(": ", 1)[-1]


def check(cot, path, module, at):
    want = graph(cot, path)
    for name, form in FORMS.items():
        with open(at, "w") as f:
            f.write(module.operation.get_asm(**form))
        found = graph(cot, at)
        if found != want:
            lines = list(zip(want.split("\n"), found.split("\n")))
            a, b = next(((a, b) for a, b in lines if a != b),
                        (f"{len(want)} bytes", f"{len(found)} bytes"))
            yield f"{name}: {b.strip()[:200]}; wants {a.strip()[:200]}"


def main():
    cot, first, step = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    passed = failed = unread = 0
    with tempfile.TemporaryDirectory() as folder, mlir.make_ir_context() as ctx:
        ctx.allow_unregistered_dialects = True
        for path in sys.argv[4:][first::step]:
            try:
                module = ir.Module.parse(open(path).read())
            except Exception:  # noqa: BLE001 -- a syntax that this JAX has not
                unread += 1
                continue
            for why in check(cot, path, module, os.path.join(folder, "form.mlir")):
                failed += 1
                print(f"{os.path.basename(path)}: {why}", flush=True)
            passed += 1
    print(f"{passed} modules, {failed} differ, {unread} not read by JAX")
    return failed > 0


sys.exit(main())
