"""The tests that judge mutants, and how one of them runs.

CTest names them.  A suite of Check that takes long is run case by case, and samples that take
long as smaller ones by other seeds (SMALLER): a mutant is then judged by the part that reaches
it.  A run ends at its first failure, where the test says so while it runs, as suites of Check
do.

Limits are of processor time, so that a busy machine kills no mutant: three times what the test
takes, and a few seconds.  A test whose processes all sleep far beyond its time is a deadlock.
"""

import glob
import hashlib
import json
import math
import os
import re
import resource
import select
import signal
import subprocess
import time

LONG = 1.5                      # seconds: suites that take longer run case by case
DATA = 6 << 30                  # bytes that a process may write to
CASE = re.compile(r'\b(?:EACH|ONCE)\(([A-Za-z]\w*)|^ *\{ "(\w+)", *[A-Za-z]', re.M)

# Samples of long tests: what the test is called, the program's arguments, {} the seed or the
# part, and how many.
SMALLER = {
    'laws.sweep': ('--sample 10{} 60', 16),
    'sizes.jit': ('jit --sample 10{} 60', 10),
    'sizes.c': ('c --sample 10{} 8', 8),
    'sizes.object': ('object --sample 10{} 20', 4),
    'laws.backends': ('{} 173', 12),
    'laws.grid': ('{} 97', 6),
    'laws.bounds.classes': ('--classes {} 1999', 6),
    'laws.bounds.products': ('--products {} 499', 6),
    'B182.compose': ('pairs {}/61', 8),
}


class Test:
    def __init__(self, name, command, at, env, skip=None, fails=False, version=''):
        self.name, self.command, self.at, self.env = name, command, at, env
        self.skip, self.fails, self.version = skip, fails, version
        self.seconds, self.good, self.sees, self.sanitized = None, None, set(), False

    def id(self):
        return '%s@%s' % (self.name, self.version)

    def is_check(self):
        return os.path.basename(self.command[0]).startswith('check_')


def sanitized(folder, t):
    """The same test of the programs that the address sanitizer is in."""
    def there(path):
        return path.replace(os.path.join(folder, 'build') + '/',
                            os.path.join(folder, 'asan') + '/')

    inside = [there(c) for c in t.command]
    env = dict(t.env, ASAN_OPTIONS='detect_leaks=0:hard_rss_limit_mb=%d' % (DATA >> 20))
    out = Test('asan:' + t.name, inside, there(t.at), env, t.skip, t.fails, t.version)
    out.sanitized, out.seconds, out.sees = True, 4 * t.seconds + 1, t.sees
    return out


def digest(paths):
    h = hashlib.sha256()
    for p in paths:
        with open(p, 'rb') as f:
            h.update(f.read())
    return h.hexdigest()[:10]


def sources_of(folder, test):
    """The files that hold the test, as far as they are known; a change of theirs is another
    test."""
    program = os.path.basename(test.command[0])
    found = glob.glob(os.path.join(folder, 'tests', '*', program + '.c'))
    if program == 'cot':
        found = [c for c in test.command if c.endswith('.cot')]
    if program.endswith('.sh'):
        found = [test.command[0]]
    return sorted(f for f in found if os.path.isfile(f))


def cases_of(folder, test):
    """A suite of Check as one test for each of its cases; none if it has but one."""
    source = sources_of(folder, test)
    if not test.is_check() or 'CK_RUN_CASE' in test.env or not source:
        return []
    with open(source[0]) as f:
        names = list(dict.fromkeys(a or b for a, b in CASE.findall(f.read())))
    return [Test('%s.%s' % (test.name, n), test.command, test.at, dict(test.env, CK_RUN_CASE=n),
                 test.skip,
                 test.fails, test.version) for n in names] if len(names) > 1 else []


def smaller_of(test):
    arguments, n = SMALLER.get(test.name, ('', 0))
    return [Test('%s.%d' % (test.name, i), test.command[:1] + arguments.format(i).split(),
                 test.at, test.env,
                 test.skip, test.fails, test.version) for i in range(n)]


def costs(build):
    """Seconds of each test by CTest's last runs, if there were any."""
    path = os.path.join(build, 'Testing/Temporary/CTestCostData.txt')
    rows = []
    if os.path.exists(path):
        with open(path) as f:
            rows = [line.split() for line in f]
    return {r[0]: float(r[2]) for r in rows if len(r) == 3}


def tests_of(folder, pattern, expected):
    """The tests whose name has the pattern; expected: seconds by name."""
    r = subprocess.run(['ctest', '--show-only=json-v1'], cwd=os.path.join(folder, 'build'),
                       check=True, text=True,
                       capture_output=True)
    out = []
    for t in json.loads(r.stdout)['tests']:
        p = {q['name']: q['value'] for q in t.get('properties', [])}
        if not t.get('command') or not os.path.exists(t['command'][0]) or not re.search(pattern,
            t['name']):
            continue
        test = Test(t['name'], t['command'], p.get('WORKING_DIRECTORY', folder),
                    dict(e.split('=', 1) for e in p.get('ENVIRONMENT', [])),
                    p.get('SKIP_RETURN_CODE'),
                    bool(p.get('WILL_FAIL', False)))
        test.version = digest(sources_of(folder, test))
        parts = []
        if expected.get(test.name, LONG) >= LONG:
            parts = smaller_of(test) or cases_of(folder, test)
        for one in parts or [test]:
            one.seconds = 1 if parts else expected.get(test.name, 1)
            out.append(one)
    return out


# -- one run --

def processes(session):
    """The states of a session's processes: R, S, D, Z."""
    out = []
    for path in glob.glob('/proc/[0-9]*/stat'):
        try:
            with open(path) as f:
                rest = f.read().rsplit(')', 1)[1].split()
        except OSError:
            continue
        if int(rest[3]) == session:
            out.append(rest[0])
    return out


def all_sleep(session):
    """Does nothing in the session run, seen some times?"""
    for _ in range(5):
        if any(s in 'RD' for s in processes(session)):
            return False
        time.sleep(1)
    return True


def limits(test, seconds):
    def set_limits():
        cpu = math.ceil(3 + 3 * seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 2))
        if not test.sanitized:          # whose shadow is larger than any limit
            resource.setrlimit(resource.RLIMIT_DATA, (DATA, DATA))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return set_limits


def says_not_ok(pipe, tail):
    """Whether a line of TAP that begins with `not ok` has come, and what is left of the last
    line."""
    lines = (tail + os.read(pipe, 65536)).split(b'\n')
    return any(line.startswith(b'not ok') for line in lines[:-1]), lines[-1]


def watch(child, tap, seconds):
    """Waits until the child ends, says that a case failed, or is held to hang; True if it ended
    itself."""
    handle, tail, start = os.pidfd_open(child.pid), b'', time.time()
    patience = 20 + 10 * seconds
    try:
        while True:
            ready = select.select([handle, tap], [], [], 5)[0]
            if tap in ready:
                failed, tail = says_not_ok(tap, tail)
                if failed:
                    return False
            if handle in ready:
                return True
            if time.time() - start > patience and all_sleep(child.pid):
                return False
    finally:
        os.close(handle)


def run(test, more, seconds):
    """Whether it passes, and the processor time of its processes."""
    tap, write = os.pipe()
    # Code that an earlier run kept would be that of another mutant.
    env = dict(os.environ, COT_CACHE_DIR='off', **test.env, **more)
    if test.is_check():
        env['CK_TAP_LOG_FILE_NAME'] = '/dev/fd/%d' % write
    child = subprocess.Popen(test.command, cwd=test.at, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True,
                             pass_fds=(write,),
                             preexec_fn=limits(test, seconds))
    # The pipe's own writing end stays open here: its end is not the end of the test.
    ended = watch(child, tap, seconds)
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    os.close(tap)
    os.close(write)
    good = ended and (child.returncode == test.skip or (child.returncode == 0) != test.fails)
    return good, used.ru_utime + used.ru_stime


def record(folder, test, count):
    """Runs it once with all mutants off: does it pass, how long, which switches does it
    reach?"""
    path = os.path.join(folder, 'seen.%s' % re.sub(r'\W', '_', test.name))
    with open(path, 'wb') as f:
        f.truncate(count)
    test.good, test.seconds = run(test, {'COT_MUTANTS_SEEN': path}, max(300, 10 * test.seconds))
    with open(path, 'rb') as f:
        test.sees = {k for k, byte in enumerate(f.read()) if byte}
    os.unlink(path)
