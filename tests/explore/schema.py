"""The data of `cot explore` are what docs/explore.md says:  schema.py COT PAGE FOLDER FILE...

The tables of the page are the schema: each object has the fields of its table, of those types,
and no other.  Numbers of values, graphs, stages, kernels and buffers are those of one that is
there.  Every FILE is followed through several pipelines, to kernels of this machine and of a
GPU.
"""
import json
import os
import re
import shutil
import subprocess
import sys

RUNS = (("-p", ""), ("-p", "vjp"), ("-p", "jvp | vmap(size=2)"),
        ("-p", "vjp", "--target", "nvptx64-nvidia-cuda"))
NO_DOT = {**os.environ, "PATH": "/nonexistent"}  # drawings take most of the time


def tables(path):
    """The fields of each object: name to (type, may it be absent)."""
    found, fields = {}, None
    for line in open(path, encoding="utf-8"):
        title = re.match(r"### (\w+)$", line)
        row = re.match(r"\| `(\w+)` \| ([\w ]+)(\?)? \|", line)
        if title:
            fields = found.setdefault(title.group(1), {})
        elif row and fields is not None:
            fields[row.group(1)] = row.group(2).strip(), row.group(3) is not None
    return found


class Judge:
    def __init__(self, schema):
        self.schema, self.wrong, self.objects = schema, [], 0

    def check(self, good, where, what):
        if not good:
            self.wrong.append(f"{where}: {what}")

    def is_a(self, x, kind, where):
        if kind.startswith("list of "):
            self.check(isinstance(x, list), where, f"{x!r} is no list")
            for i, item in enumerate(x if isinstance(x, list) else ()):
                self.is_a(item, kind[8:], f"{where}[{i}]")
        elif kind in self.schema:
            self.object(x, kind, where)
        else:
            pair = isinstance(x, list) and len(x) == 2 and all(isinstance(n, int) for n in x)
            good = {"string": isinstance(x, str), "boolean": isinstance(x, bool),
                    "number": isinstance(x, (int, float)) and not isinstance(x, bool),
                    "reference": isinstance(x, int) or pair, "pair": pair}
            self.check(good[kind], where, f"{x!r} is no {kind}")

    def object(self, x, name, where):
        fields = self.schema[name]
        self.objects += 1
        for key in x:
            self.check(key in fields, where, f"has the field {key}, which the page does not")
        for key, (kind, optional) in fields.items():
            null = (name, key) in (("file", "lines"), ("data", "c"), ("data", "assembly"),
                                   ("data", "ptx"))
            if key not in x:
                self.check(optional, where, f"has no {key}")
            elif not (null and x[key] is None):
                self.is_a(x[key], kind, f"{where}.{key}")

    def data(self, data):
        values = data["values"]
        self.check(values[0] is None, "values", "the first entry is not null")
        drawings = [d or "" for d in data["drawings"]]
        self.object({**data, "values": values[1:], "drawings": drawings}, "data", "data")
        self.numbers(data)

    def numbers(self, data):
        values, graphs, kernels = data["values"], data["graphs"], data["kernels"]

        def first(ref):
            return ref[0] if isinstance(ref, list) else ref

        def known(ids, n, where):
            for i in ids:
                self.check(0 <= i < n, where, f"{i} of {n}")

        for i, v in enumerate(values[1:], 1):
            g = graphs[v["graph"]]
            self.check(g["first"] <= i < g["first"] + g["inputs"] + g["nodes"], i, "its graph")
            self.check(all(0 < f < g["first"] for f in v["from"]), i, "later origins")
            for ref in v.get("in", ()):
                self.check(g["first"] <= first(ref) < i, i, "operands of another graph")
                self.check(isinstance(ref, int) or ref[1] < len(values[ref[0]]["type"]), i,
                           "a result that is not there")
            known(v.get("subs", ()), len(graphs), i)
        self.check(sum(g["inputs"] + g["nodes"] for g in graphs) == len(values) - 1, "graphs",
                   "values that are in none")
        self.check(sum(s["graphs"] for s in data["stages"]) == len(graphs), "stages", "graphs")
        last = graphs[data["stages"][-1]["graph"]]["first"]
        for s in data["steps"]:
            known([max(0, s["kernel"])], len(kernels), "step")
            plan = next(p for p in data["plans"] if p["kernel"] == s["plan"])
            known(s["reads"] + s["writes"], len(plan["buffers"]), "step")
            self.check(all(last <= n < len(values) for n in s["nodes"]), "step",
                       "earlier nodes")
        for name in ("c", "assembly", "ptx"):
            code = data[name] or {"text": ""}
            self.check(not re.search("\x01|\\.loc\t|debug|__tmp|__func_", code["text"]), name,
                       "marks are left")
            self.check(all(0 <= l < code["text"].count("\n") and last <= v < len(values)
                           for l, v in code.get("lines", ())), name, "lines")
            for part in code.get("parts", ()):
                known([max(0, part[1])], len(kernels), name)
        self.launches(data)
        for k in kernels:
            lines = k["text"].count("\n")
            self.check(all(0 <= l < lines and 0 < v < len(values) for l, v in k["lines"]),
                       k["name"], "lines")


    def launches(self, data):
        """A GPU's kernels have launches and PTX, and others have none."""
        gpu = data["target"] != ""
        for k in data["kernels"][1:]:
            launch = k.get("launch")
            self.check((launch is not None) == gpu, k["name"], f"launch {launch}")
            if launch:
                self.check(launch["grid"] > 0 and launch["block"] % 32 == 0 and
                           32 <= launch["block"] <= 1024, k["name"], f"launch {launch}")
        self.check("launch" not in (data["kernels"] or [{}])[0], "the entry", "is launched")
        if not data["kernels"] or not gpu:
            self.check(data["ptx"] is None, "ptx", "is there")
            return
        self.check(data["c"] is None and data["assembly"] is None, "c", "is there")
        if data["ptx"]:
            parts = {k for _, k in data["ptx"]["parts"]} - {-1}
            self.check(parts == set(range(1, len(data["kernels"]))), "ptx", f"parts {parts}")


def launched(cot, folder):
    """A sum of an exponential on a GPU: its launch, and PTX lines of both ops."""
    source, out = os.path.join(folder, "gpu.cot"), os.path.join(folder, "gpu.json")
    with open(source, "w", encoding="utf-8") as file:
        file.write("""format 1
fn @f(%x: f32[1000,64]) -> (f32[1000], f32[1000,64]) {
  %0 = exp %x : f32[1000,64]
  %1 = reduce_sum %0 {axes=[1]} : f32[1000]
  ret %1, %x
}
""")
    for options in (("--backend", "cuda", "--cpu", "sm_90"), ("--backend", "sim")):
        done = subprocess.run([cot, "explore", source, "-o", out, *options], check=False,
                              env=NO_DOT, capture_output=True)
        if b"built without LLVM" in done.stderr:
            continue
        data = json.load(open(out, encoding="utf-8"))
        ops = {data["values"][v]["op"] for _, v in (data["ptx"] or {}).get("lines", ())}
        launches = [k["launch"] for k in data["kernels"][1:]]
        kinds = [s["kernel"] for s in data["steps"]]
        good = (data["target"] == ("sm_90" if "sm_90" in options else "sm_80") and
                launches == [{"grid": 125, "block": 256, "shared": 0, "dynamic": 0}] and
                sorted(kinds) == [-1, 1] and (not data["ptx"] or {"exp", "reduce_sum"} <= ops))
        if not good:
            print(f"{options}: {data['target']}, launches {launches}, steps of {kinds}, "
                  f"PTX of {ops}")
            return 1
    return 0


def many(bodies, ops):
    """As many calls, each of a body of its own, and then a long chain."""
    lines = ["format 1"]
    for i in range(bodies):
        lines += [f"fn @b{i}(%h: f32[4], %x: f32[4]) -> f32[4] {{", "  %0 = tanh %h : f32[4]",
                  "  %1 = mul %0, %x : f32[4]", "  ret %1", "}"]
    lines.append("fn @f(%x: f32[4], %w: f32[4]) -> f32[4] {")
    for i in range(bodies + ops):
        x = f"%{i - 1}" if i else "%x"
        op = f"mul {x}, %w" if i % 2 else f"sin {x}"
        if i < bodies:
            op = f"call {x}, %w {{body=@b{i}}}"
        lines.append(f"  %{i} = {op} : f32[4]")
    return "\n".join(lines + [f"  ret %{bodies + ops - 1}", "}", ""])


def draw_parts(cot, page, folder):
    """Each value of a large stage is in one part, which has a node for it; operands are joined
    to their users, bodies to what holds them."""
    if not shutil.which("dot"):
        return 0
    source, out = os.path.join(folder, "many.cot"), os.path.join(folder, "many.json")
    with open(source, "w", encoding="utf-8") as file:
        file.write(many(150, 700))
    subprocess.run([cot, "explore", source, "-p", "jvp", "-o", out], check=True)
    data, judge = json.load(open(out, encoding="utf-8")), Judge(tables(page))
    judge.data(data)
    values, graphs = data["values"], data["graphs"]
    large = [i for i, d in enumerate(data["drawings"]) if d == ""]
    judge.check(len(large) == len(data["stages"]) > 1, "drawings", f"{large} are in parts")
    shown, joined = [], set()
    for x in data["layouts"]:
        nodes = set(x["nodes"][::5])
        judge.check(len(x["nodes"]) % 5 == 0 and len(nodes) <= 500, "layout", "nodes")
        for e in x["edges"]:
            judge.check(len(e) % 2 == 0 and len(e) >= 10 and e[0] in nodes and e[1] in nodes,
                        "layout", f"edge {e}")
        judge.check(all(0 <= p <= s + 1 for i, s in ((1, x["width"]), (2, x["height"]))
                        for p in x["nodes"][i::5]), "layout", "places")
        if not x["parts"]:
            own = range(x["first"], x["last"] + 1)
            judge.check(len(own) <= 100 and nodes.issuperset(own), "part", f"values {own}")
            shown += own
            joined.update((e[0], e[1]) for e in x["edges"])
    judge.check(shown == list(range(1, len(values))), "parts", "values are missing, or twice")
    for i, v in enumerate(values[1:], 1):
        for ref in v.get("in", ()):
            from_ = ref[0] if isinstance(ref, list) else ref
            judge.check((from_, i) in joined, i, f"no edge from {from_}")
    for i, g in enumerate(graphs):
        judge.check(not g["holder"] or (g["holder"], -1 - i) in joined, g["name"], "no holder")
    for s in large:
        firsts = [x["first"] for x in data["layouts"] if x["stage"] == s and not x["parts"]]
        over = [x["nodes"][::5] for x in data["layouts"] if x["stage"] == s and x["parts"]]
        judge.check(over == [firsts], "overview", f"{over}; wants {firsts}")
    for line in judge.wrong[:5]:
        print(f"parts: {line}")
    print(f"{len(values) - 1} values in {len(data['layouts'])} layouts")
    return len(judge.wrong)


def measured(cot, folder):
    """Times of calls, by kernel and divided among steps; and instructions of both ops."""
    source, out = os.path.join(folder, "called.cot"), os.path.join(folder, "measured.json")
    with open(source, "w", encoding="utf-8") as file:
        file.write(called(3))
    done = subprocess.run([cot, "explore", source, "--profile", "--asm", "-o", out],
                          check=False, env=NO_DOT, capture_output=True)
    if b"wants jit or c" in done.stderr:
        return 0  # a build without LLVM, whose back end is the evaluator
    data = json.load(open(out, encoding="utf-8"))
    took = sum(k.get("took", 0) for k in data["kernels"])
    spent = sum(s["time"] for s in data["steps"] if s["kernel"] >= 0)
    runs = [k["runs"] for k in data["kernels"] if "cumsum" in k["name"] and "runs" in k]
    good = data["measured"] and 0 < took and abs(spent - took) < 0.01 * took and sum(runs) == 8
    ops = {data["values"][v]["op"] for _, v in (data["assembly"] or {}).get("lines", ())}
    good &= not data["assembly"] or {"sin", "cumsum"} <= ops
    if not good:
        print(f"measured: {data['measured']}, kernels {took} ns, steps {spent} ns, "
              f"runs {runs}, instructions of {ops}")
    return int(not good)


def source_of(path, folder):
    """The text of a test without what it expects."""
    text = open(path, encoding="utf-8").read()
    out = os.path.join(folder, "source" + os.path.splitext(path)[1])
    with open(out, "w", encoding="utf-8") as file:
        file.write(re.split(r"^; expect:", text, flags=re.M)[0])
    return out


def called(levels):
    """A sine that is called twice by what is called twice, and so on."""
    lines = ["format 1", "fn @g0(%x: f32[300]) -> f32[300] {",
             "  %0 = cumsum %x {axis=0} : f32[300]", "  %1 = sin %0 : f32[300]",
             "  ret %1", "}"]
    for i in range(levels):
        lines += [f"fn @g{i + 1}(%x: f32[300]) -> f32[300] {{",
                  f"  %0 = call %x {{body=@g{i}}} : f32[300]",
                  f"  %1 = call %0 {{body=@g{i}}} : f32[300]", "  ret %1", "}"]
    return "\n".join(lines + [""])


def count_runs(cot, folder, levels=13):
    """Steps of functions that are called run as often as these are."""
    source, out = os.path.join(folder, "called.cot"), os.path.join(folder, "called.json")
    with open(source, "w", encoding="utf-8") as file:
        file.write(called(levels))
    subprocess.run([cot, "explore", source, "-o", out], check=True, env=NO_DOT)
    data = json.load(open(out, encoding="utf-8"))
    runs = sum(s["runs"] for s in data["steps"]
               if any(data["values"][n]["op"] == "sin" for n in s["nodes"]))
    if len(data["plans"]) < 2 or runs != 2 ** levels:
        print(f"{len(data['plans'])} plans, {runs} runs; wants {2 ** levels} of several plans")
        return 1
    return 0


def main(cot, page, folder, *files):
    os.makedirs(folder, exist_ok=True)
    schema, data, bad = tables(page), os.path.join(folder, "data.json"), 0
    written = objects = 0
    for path in files:
        for options in RUNS:
            if os.path.exists(data):
                os.unlink(data)
            source = source_of(path, folder)
            done = subprocess.run([cot, "explore", source, *options, "-o", data],
                                  capture_output=True, check=False, env=NO_DOT)
            if done.returncode < 0 or b"Sanitizer" in done.stderr:
                print(f"{path}, {options}: {done.stderr.decode(errors='replace')[:2000]}")
                bad += 1
            if not os.path.exists(data):
                continue
            judge = Judge(schema)
            judge.data(json.load(open(data, encoding="utf-8")))
            written, objects, bad = written + 1, objects + judge.objects, bad + len(judge.wrong)
            for line in judge.wrong[:5]:
                print(f"{path}, {options}: {line}")
    print(f"{written} files of data, {objects} objects, {bad} wrong")
    bad += count_runs(cot, folder) + measured(cot, folder) + launched(cot, folder)
    bad += draw_parts(cot, page, folder)
    return bad > 0 or written < 2 * len(files) // 3


sys.exit(main(*sys.argv[1:]))
