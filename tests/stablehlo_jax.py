"""Modules that export wrote, run by JAX: their results are those of the evaluator.

    stablehlo_jax.py LAW_STABLEHLO FIRST STEP [--interpret]

writes the programs FIRST, FIRST + STEP, ... and their reverse mode to a folder of its own, then
has each parsed, verified, compiled and run by JAX's CPU client; with --interpret by StableHLO's
reference interpreter, where a module holds no chlo op.  A line for each that fails, then the
numbers; the exit status is 1 if one does, 77 without JAX.  """
import glob
import os
import subprocess
import sys
import tempfile

try:
    import jax
    import ml_dtypes
    import numpy as np
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import func, stablehlo
except ImportError as e:
    print(f"no JAX: {e}")
    sys.exit(77)

TYPES = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "complex<f32>": np.complex64, "complex<f64>": np.complex128,
}
TOLERANCE = {"f2": 4e-2, "V2": 6e-2, "f4": 1e-4, "f8": 1e-10, "c8": 1e-4, "c16": 1e-10}


def main_types(module):
    for op in module.body.operations:
        if isinstance(op, func.FuncOp) and op.name.value == "main":
            return op.type.inputs, op.type.results
    raise ValueError("no @main")


def arrays(types, data, at):
    out = []
    for t in types:
        t = ir.RankedTensorType(t)
        dtype = np.dtype(TYPES[str(t.element_type)])
        n = int(np.prod(t.shape, dtype=np.int64))
        out.append(np.frombuffer(data, dtype, n, at).reshape(t.shape))
        at += n * dtype.itemsize
    return out, at


def differs(found, want):
    found = np.asarray(found)
    if found.shape != want.shape or found.dtype != want.dtype:
        return f"is {found.dtype}{found.shape}, wants {want.dtype}{want.shape}"
    if want.dtype.kind in "biu":
        if np.array_equal(found, want):
            return None
        return f"is {found.ravel()[:8]}, wants {want.ravel()[:8]}"
    tolerance = TOLERANCE[("V" if want.dtype == ml_dtypes.bfloat16 else want.dtype.kind) +
                          str(want.dtype.itemsize)]
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    x, y = found.astype(wide), want.astype(wide)
    most = max(1, np.max(np.abs(y), initial=0, where=np.isfinite(y)))
    good = np.isclose(x, y, rtol=tolerance, atol=tolerance * most, equal_nan=True)
    if good.all():
        return None
    i = np.argmin(good)
    return f"element {i} is {x.ravel()[i]}, wants {y.ravel()[i]}"


def interpreted(module, inputs):
    given = [ir.DenseElementsAttr.get(np.ascontiguousarray(x), shape=x.shape,
                                      type=ir.RankedTensorType(t).element_type)
             for x, t in zip(inputs, main_types(module)[0])]
    return [np.array(y) for y in stablehlo.eval_module(module, given)]


def compiled(module, inputs, device, devices):
    exe = device.client.compile_and_load(module, devices, xla_client.CompileOptions())
    results = exe.execute_sharded([jax.device_put(x, device) for x in inputs])
    return [y[0] for y in results.disassemble_into_single_device_arrays()]


def check(path, interpret, device, devices):
    text = open(path).read()
    if interpret and ("chlo." in text or "complex" in text or "i1" in text):
        return None
    module = ir.Module.parse(text)
    module.operation.verify()
    data = open(path[:-4] + "bin", "rb").read()
    in_types, out_types = main_types(module)
    inputs, at = arrays(in_types, data, 0)
    want, _ = arrays(out_types, data, at)
    found = interpreted(module, inputs) if interpret else compiled(module, inputs,
        device, devices)
    for i, (x, y) in enumerate(zip(found, want)):
        why = differs(x, y)
        if why:
            return f"result {i}: {why}"
    return None


def main():
    law, first, step = sys.argv[1:4]
    interpret = "--interpret" in sys.argv
    jax.config.update("jax_enable_x64", True)
    device = jax.devices("cpu")[0]
    devices = xla_client.DeviceList((device,))
    failed = 0
    keep = os.environ.get("COT_OUT")
    with tempfile.TemporaryDirectory() as folder:
        folder = keep or folder
        subprocess.run([law, "write", first, step], check=True,
                       env={**os.environ, "COT_OUT": folder})
        paths = sorted(glob.glob(folder + "/*.mlir"))
        with mlir.make_ir_context(), ir.Location.unknown():
            for path in paths:
                try:
                    why = check(path, interpret, device, devices)
                except Exception as e:  # noqa: BLE001
                    why = " ".join(str(e).split())[:300]
                if why:
                    failed += 1
                    print(f"{os.path.basename(path)}: {why}", flush=True)
    print(f"{len(paths) - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
