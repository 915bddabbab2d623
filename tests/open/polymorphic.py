"""Modules that jax.export wrote with symbolic shapes, each built once for all sizes, have the
bits of `cot run`, which compiles them for each:  polymorphic.py COT CC FOLDER

The first line of a module is what --open says, the second the shapes of the other arguments.
All arguments are f32.  The objects are called by their manifests.
"""
import array
import ctypes
import glob
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

SIZES = ({"n": 4, "m": 7}, {"n": 33, "m": 12}, {"n": 100, "m": 129})


def write_npy(path, shape, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % "".join(
        "%d," % n for n in shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        out.write(values.tobytes())


def data_of_npy(path):
    with open(path, "rb") as f:
        head = f.read(10)
        f.read(struct.unpack("<H", head[8:10])[0])
        return f.read()


def shapes_of(lines):
    """Of each argument, its lengths as expressions."""
    found = {}
    for line in lines:
        for number, lengths in re.findall(r"(\d+): \[([^\]]*)\]", line):
            found[int(number)] = [x.strip() for x in lengths.split(",") if x.strip()]
    return [found[i] for i in sorted(found)]


def evaluated(expression, sizes):
    return int(eval(str(expression).replace("/", "//"), {}, sizes))


class Module:
    def __init__(self, cot, cc, path):
        self.cot, self.path = cot, path
        with open(path, encoding="utf-8") as f:
            lines = [x[3:].strip() for x in f if x.startswith("// ")]
        self.shapes = shapes_of(lines)
        subprocess.run([cot, "build", path, "--open", lines[0], "--name", "f", "-o", "f.o",
                        "--manifest", "f.json"], check=True)
        library = "./" + os.path.basename(path) + ".so"
        subprocess.run([cc, "-shared", "f.o", "-lm", "-o", library], check=True)
        self.call = ctypes.CDLL(library).f
        with open("f.json", encoding="utf-8") as f:
            self.about = json.load(f)["functions"][0]

    def differs_at(self, sizes):
        own = {s["name"]: sizes[s["name"]] for s in self.about["sizes"]}
        arguments, files = [], []
        for i, lengths in enumerate(self.shapes):
            shape = [evaluated(x, sizes) for x in lengths]
            n = 1
            for x in shape:
                n *= x
            arguments.append(array.array("f", (random.gauss(0, 1) for _ in range(n))))
            files.append("in%d.npy" % i)
            write_npy(files[-1], shape, arguments[-1])
        subprocess.run([self.cot, "run", self.path, "--in", *files, "--out", "want"],
                       check=True)
        want = data_of_npy("want0.npy")
        got = ctypes.create_string_buffer(len(want) + 64)
        got[len(want):] = b"\x5a" * 64
        bytes_of_work = max(evaluated(x, own) for x in self.about["work_bytes"])
        work = ctypes.create_string_buffer(bytes_of_work + 64)
        at = ctypes.addressof(work)
        status = self.call(
            *(ctypes.c_int64(n) for n in own.values()),
            *(ctypes.c_void_p(x.buffer_info()[0]) for x in arguments),
            ctypes.byref(got), ctypes.c_void_p(at + -at % 64))
        return status != 0 or got.raw != want + b"\x5a" * 64


def main():
    cot, cc, folder = os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3])
    paths = sorted(glob.glob(folder + "/*.mlir"))
    wrong = 0
    random.seed(24)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for path in paths:
            module = Module(cot, cc, path)
            for sizes in SIZES:
                if module.differs_at(sizes):
                    print(os.path.basename(path), "differs at", sizes)
                    wrong += 1
        os.chdir(folder)
    print("%d modules, each at %d sizes: %d wrong" % (len(paths), len(SIZES), wrong))
    return wrong != 0 or not paths


if __name__ == "__main__":
    sys.exit(main())
