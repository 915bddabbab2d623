"""The sheet of figures that docs/benchmarks.md is made of: docs/benchmarks.csv, one line for
the time that one library takes for one workload on so many threads.

section    of the page; "machine" for what the figures were measured on
workload   its name
threads    how many the library could use
who        Cotrace, a peer, or the machine, whose least time is the limit
least      seconds for a call: of all calls the least
median     the median; empty where only the least is known
compile    seconds before the first call: tracing or reading, and compiling; empty where none
"""
import csv
import os

FIELDS = ["section", "workload", "threads", "who", "least", "median", "compile"]


def number(text):
    return float(text) if text else None


def figure(x):
    return "" if x is None else f"{x:.4g}"


class Sheet:
    """A file of figures, to which lines are appended; of two for one thing the last counts."""

    def __init__(self, path):
        self.path = path
        self.rows = {}
        if os.path.exists(path):
            with open(path, newline="") as file:
                for r in csv.DictReader(file):
                    self.rows[self.key(r)] = r

    @staticmethod
    def key(r):
        return r["section"], r["workload"], int(r["threads"]), r["who"]

    def put(self, section, workload, threads, who, least, median=None, compile=None):
        new = not os.path.exists(self.path)
        r = dict(zip(FIELDS, (section, workload, str(threads), who, figure(least),
                              figure(median), figure(compile))))
        with open(self.path, "a", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(r)
        self.rows[self.key(r)] = r

    def has(self, section, workload, threads, who):
        return (section, workload, threads, who) in self.rows

    def least(self, section, workload, threads, who):
        r = self.rows.get((section, workload, threads, who))
        return number(r["least"]) if r else None

    def compile(self, section, workload, threads, who):
        r = self.rows.get((section, workload, threads, who))
        return number(r["compile"]) if r else None

    def sections(self):
        """In the order of their first lines, without that of the machine."""
        return [s for s in dict.fromkeys(k[0] for k in self.rows) if s != "machine"]

    def workloads(self, section):
        return list(dict.fromkeys(k[1] for k in self.rows if k[0] == section))

    def threads(self):
        return sorted({k[2] for k in self.rows if k[0] != "machine"})

    def who(self, section):
        """The peers of a section."""
        return [w for w in dict.fromkeys(k[3] for k in self.rows if k[0] == section)
                if w not in ("Cotrace", "machine")]

    def rewrite(self):
        """The file, with one line for each thing."""
        with open(self.path, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self.rows.values())
