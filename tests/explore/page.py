"""The page of `cot explore` in a browser:  page.py COT FOLDER

What a click, a key, a search and a link light up; that nothing is loaded and no error is
logged; that names and lines of a program are text and nothing else; that 10,000 nodes open and
answer, with the time that it takes.  Pages and screenshots are left in FOLDER.  Exits with 77
where chromium, its driver or selenium is missing.
"""
import os
import shutil
import subprocess
import sys
import time

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("selenium is missing: apt-get install python3-selenium")
    sys.exit(77)

COT, FOLDER = sys.argv[1:3]
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
failures = 0

LINES = """format 1
fn @step(%h: f32[8], %x: f32[8]) -> f32[8] {
  %0 = tanh %h : f32[8]
  %1 = mul %0, %x : f32[8]
  ret %1
}
fn @body(%w: f32[8], %h: f32[8], %x: f32[8]) -> (f32[8], f32[8]) {
  %0 = mul %h, %w : f32[8]
  %1 = call %0, %x {body=@step} : f32[8]
  ret %1, %0
}
fn @f(%w: f32[8], %xs: f32[5,8]) -> f32[] {
  %0 = constant {data=0.5} : f32[8]
  %1, %2 = scan %w, %0, %xs {length=5, consts=1, carries=1, body=@body} : (f32[8], f32[5,8])
  %3 = reduce_sum %2 {axes=[0]} : f32[8]
  %4 = mul %3, %1 : f32[8]
  %5 = reduce_sum %4 {axes=[0]} : f32[]
  ret %5
}
"""

SINE = """format 1
fn @f(%x: f32[64], %w: f32[64]) -> f32[] {
  %0 = sin %x : f32[64]
  %1 = mul %0, %w : f32[64]
  %2 = reduce_sum %1 {axes=[0]} : f32[]
  ret %2
}
"""

HOSTILE = """format 1
; </script><script>window.broken = 1</script> <img src=x onerror="window.broken = 2">
fn @f(%x: f32[4]) -> f32[4] {
  %0 = sin %x : f32[4]   ; <!-- <script> & \u2028 ' " \\
  ret %0
}
"""


def check(good, what):
    global failures
    if not good:
        failures += 1
        print("fails:", what)


def same(got, want, what):
    check(got == want, f"{what}: {got}; wants {want}")


def write(name, text):
    path = os.path.join(FOLDER, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def page(name, text, *options):
    source, out = write(name + ".cot", text), os.path.join(FOLDER, name + ".html")
    subprocess.run([COT, "explore", source, "-o", out, *options], check=True)
    return "file://" + os.path.abspath(out)


def large():
    """A chain of 10,000 nodes."""
    lines, x = ["format 1", "fn @f(%x: f32[32], %w: f32[32]) -> f32[32] {"], "%x"
    for i in range(0, 10000, 2):
        lines.append(f"  %{i} = mul {x}, %w : f32[32]")
        lines.append(f"  %{i + 1} = {('sin', 'tanh', 'cos', 'exp')[i // 2 % 4]} %{i} : f32[32]")
        x = f"%{i + 1}"
    return "\n".join(lines + [f"  ret {x}", "}", ""])


class Browser:
    def __init__(self):
        options = Options()
        options.binary_location = CHROMIUM
        for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1700,950",
                     "--disable-dev-shm-usage"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)

    def run(self, script, *args):
        return self.driver.execute_script(script, *args)

    def open(self, url):
        self.driver.get("about:blank")
        self.driver.get_log("browser"), self.driver.get_log("performance")
        self.driver.get(url)

    def keys(self, *keys):
        chain = ActionChains(self.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def row(self, column, text):
        """The element of the row with that text in it."""
        rows = self.driver.find_elements(By.CSS_SELECTOR, f'[data-name="{column}"] .row')
        found = [r for r in rows if text in r.text]
        check(found, f"column {column} has no row '{text}'")
        return found[0]

    def lit(self, column, kind):
        """What rows of that column that are lit so say."""
        return self.run("""
            const c = explorer.columns.find((c) => c.name === arguments[0]);
            return c.rows.filter((r) => r.bits() & arguments[1])
              .map((r) => r.parts().map((p) => p[1]).join("").trim());""",
                        column, {"from": 1, "made": 2, "chosen": 4}[kind])

    def shot(self, name):
        self.driver.save_screenshot(os.path.join(FOLDER, name + ".png"))

    def check_quiet(self, what):
        """No error is in the console, and nothing was loaded but the page itself."""
        for entry in self.driver.get_log("browser"):
            check(False, f"{what}: the console says {entry['message']}")
        for entry in self.driver.get_log("performance"):
            if '"Network.requestWillBeSent"' in entry["message"]:
                check('"url":"file:' in entry["message"] or '"url":"data:' in entry["message"],
                      f"{what}: a request: {entry['message'][:200]}")


def clicks(b):
    """x sin x's pieces under grad and vmap."""
    b.open(page("sine", SINE, "-p", "grad | vmap(in=[0,none], size=8)", "--asm"))
    b.driver.find_element(By.XPATH, "//nav/button[text()='jvp']").click()
    b.row("source", "sin %x").click()
    same(b.lit("source", "chosen"), ["%0 = sin %x : f32[64]"], "a click chooses")
    same(b.lit("source lines", "chosen"), ["3    %0 = sin %x : f32[64]"], "its line")
    same(b.lit("jvp", "made"), ["%0 = sin %x : f32[64]", "%1 = cos %x : f32[64]",
                                "%2 = mul %dx, %1 : f32[64]"], "the tangent of sin")
    same(b.lit("grad", "made"), ["%0 = cos %x : f32[64]", "%1 = mul %w, %0 : f32[64]"], "grad")
    made = b.lit("vmap", "made")
    check(len(made) == 3 and "cos" in made[0], f"vmap: {made}")
    check(any("mul" in s for s in b.lit("plan", "made")), "the step of the plan")
    kernel = b.lit("kernels", "made")
    check(any("store" in s for s in kernel) and len(kernel) > 8, "the lines of the kernel")
    b.driver.find_element(By.XPATH, "//nav/button[text()='C']").click()
    code = b.lit("c", "made")
    check(any("0.6366" in s for s in code) and any("out0" in s for s in code), f"C: {code}")
    check(not any("return 0" in s for s in code), "what no node computes is not lit")
    if b.run("return explorer.data.assembly !== null"):
        b.driver.find_element(By.XPATH, "//nav/button[text()='Assembly']").click()
        code = b.lit("assembly", "made")
        check(len(code) > 8 and any("," in s for s in code), f"assembly: {code}")
    b.shot("click")
    b.row("vmap", "cos").click()
    same(b.lit("source", "from"), ["%0 = sin %x : f32[64]"], "back from vmap to the source")
    same(b.lit("grad", "from"), ["%0 = cos %x : f32[64]"], "back from vmap to grad")
    if b.run("return explorer.data.assembly !== null"):
        lit = len(b.lit("assembly", "chosen") + b.lit("assembly", "made"))
        check(0 < lit < b.run("return explorer.data.assembly.lines.length"),
              f"of the assembly {lit} lines are those of cos")
    b.row("source lines", "mul %0, %w").click()
    same(b.lit("source", "chosen"), ["%1 = mul %0, %w : f32[64]"], "a click on a line")
    b.row("c", "0.6366").click()
    same(b.lit("source", "from"), ["%0 = sin %x : f32[64]"], "back from C to the source")
    b.row("plan", "mul").click()
    check(len(b.lit("vmap", "chosen")) == 3, "a click on a step chooses what it computes")
    b.row("plan", "mul").click()
    same(b.lit("vmap", "chosen"), [], "the same click again")
    b.check_quiet("clicks")


def gpus(b):
    """Kernels of a GPU: launches in the plan and beside the kernels, lines of PTX."""
    b.open(page("gpu", SINE, "-p", "grad | vmap(in=[0,none], size=8)", "--backend", "sim"))
    same(b.run("return explorer.data.target"), "sm_80", "the target")
    step, kernel = b.row("plan", "mul"), b.row("kernels", "launched as")
    check("<<<" in step.text and " blocks of " in kernel.text, f"{step.text}; {kernel.text}")
    b.row("grad", "cos").click()
    lit = b.lit("kernels", "made")
    check(len(lit) > 8, f"the lines of the kernel: {lit}")
    check(any("<<<" in s for s in b.lit("plan", "made")), "the launch")
    if b.run("return explorer.data.ptx !== null"):
        lit = b.lit("ptx", "made")
        check(len(lit) > 8 and any("fma.rn.f32" in s for s in lit), f"PTX: {lit}")
        check(len(lit) < b.run("return explorer.data.ptx.lines.length"), "PTX of others")
        b.driver.find_element(By.CSS_SELECTOR, '[data-name="ptx"] .row.made:not(.head)').click()
        check("%0 = cos %x : f32[64]" in b.lit("grad", "from"), "back from PTX to grad")
        details = b.driver.find_element(By.ID, "details").text
        check("mul <<<8, 32>>>" in details, f"details have no launch: {details}")
    b.shot("gpu")
    b.check_quiet("gpus")


def keys(b):
    b.open(page("keys", SINE, "-p", "grad"))
    b.keys("/", "cos", Keys.ENTER)
    same(b.lit("grad", "chosen"), ["%0 = cos %x : f32[64]"], "search and Enter")
    same(b.driver.find_element(By.ID, "found").text, "1 of 1", "matches are counted")
    b.keys(Keys.ESCAPE)
    same(b.lit("grad", "chosen"), [], "Esc")
    check(b.run("return location.hash") == "", "Esc takes the link away")
    b.run("explorer.columns.find((c) => c.name === 'source').scroller.focus()")
    b.keys(Keys.HOME, "j", "j", "j", Keys.ENTER)
    same(b.lit("source", "chosen"), ["%0 = sin %x : f32[64]"], "rows by keys")
    link = b.run("return location.hash")
    check(link == "#v3", f"the link is {link}")
    b.keys(Keys.ARROW_RIGHT, Keys.ENTER)
    same(b.lit("grad", "chosen"), ["%0 = cos %x : f32[64]"], "the next column, at what is lit")
    theme = b.run("return document.documentElement.dataset.theme")
    b.keys("t")
    changed = b.run("return document.documentElement.dataset.theme")
    check(changed != theme, "t changes the theme")
    b.shot("dark" if theme == "light" else "light")
    for key, text in (("m", "work block"), ("e", "estimated"), ("d", "drawing")):
        b.keys(key)
        drawer = b.driver.find_element(By.ID, "drawer")
        found = text in drawer.text or drawer.find_elements(By.CSS_SELECTOR, "svg .node")
        check(found, f"key {key} opens '{text}': {drawer.text[:80]}")
        b.shot("drawer-" + key)
    b.keys("d", "?")
    check(b.run("return document.getElementById('keys').open"), "? opens the list of keys")
    b.keys(Keys.ESCAPE)
    b.check_quiet("keys")


def links(b):
    url = page("links", SINE, "-p", "grad")
    for link, column, text in (("#v4", "source", "%1 = mul %0, %w : f32[64]"),
                               ("#l0.3", "source", "%0 = sin %x : f32[64]"),
                               ("#k1", "plan", "1  mul  100.0 %"),
                               ("#s0", "plan", "1  mul  100.0 %")):
        b.open(url + link)
        check(text in b.lit(column, "chosen"), f"{link}: {b.lit(column, 'chosen')}")
    b.open(url + "#v999999")
    same(b.lit("source", "chosen"), [], "a link to nothing")
    b.check_quiet("links")


def bodies(b):
    """Bodies are closed, and say that something in them is lit."""
    b.open(page("bodies", LINES, "-p", "grad"))
    check(b.driver.find_elements(By.CSS_SELECTOR, '[data-name="source"] .fold'), "a triangle")
    same(len([r for r in b.run("return explorer.columns[1].rows.map((r) => r.id)") if r]), 7,
         "rows of the closed function")
    b.row("source lines", "tanh %h").click()
    check("inside" in b.row("source", "scan").get_attribute("class"), "the loop has a bar")
    b.row("source", "scan").find_element(By.CLASS_NAME, "fold").click()
    b.row("source", "call").find_element(By.CLASS_NAME, "fold").click()
    same(b.lit("source", "chosen"), ["%0 = tanh %h : f32[8]"], "opened bodies")
    b.shot("bodies")
    tanh = b.run("return explorer.data.values.findIndex((v) => v && v.op === 'tanh')")
    b.run("explorer.state.open.clear(); explorer.reveal(arguments[0])", tanh)
    same(b.lit("source", "chosen"), ["%0 = tanh %h : f32[8]"], "what is revealed is opened")
    b.check_quiet("bodies")


def hostile(b):
    name = "a<b>&'\"; <img src=x onerror=alert(1)>"
    b.open(page(name.replace("/", "_"), HOSTILE).replace("<", "%3C").replace(">", "%3E")
           .replace("'", "%27").replace('"', "%22").replace("#", "%23").replace("&", "%26"))
    same(b.run("return window.broken || 0"), 0, "lines of the source are no markup")
    same(b.run("return document.images.length"), 0, "nor names of files")
    lines = b.run("return explorer.data.files[0].lines")
    same("\n".join(lines) + "\n", HOSTILE, "lines are as they were")
    b.row("source", "sin").click()
    b.shot("hostile")
    b.check_quiet("hostile")


def thousands(b):
    url = page("large", large(), "-p", "jvp")
    start = time.time()
    b.open(url)
    opened = time.time() - start
    n = b.run("return explorer.data.values.length - 1")
    check(n > 30000, f"{n} values")
    drawn = b.run("return document.querySelectorAll('.row').length")
    check(drawn < 1000, f"{drawn} rows are drawn")
    took = b.run("""
        const row = [...document.querySelectorAll('[data-name="source"] .row')]
          .find((r) => r.textContent.includes("sin"));
        const start = performance.now();
        row.click();
        document.body.getBoundingClientRect();
        return performance.now() - start;""")
    check(len(b.lit("jvp", "made")) >= 1, "a click lights up what it should")
    print(f"{n} values: opened in {opened:.2f} s, a click took {took:.0f} ms")
    b.shot("large")
    b.check_quiet("thousands")


def parts(b):
    """A stage of 10,000 nodes is drawn: its overview, and each part."""
    b.open("file://" + os.path.abspath(os.path.join(FOLDER, "large.html")))
    if b.run("return explorer.data.layouts.length === 0"):
        return  # no dot
    b.keys("d")
    drawn = "#drawer svg.layout g.node"
    check(50 < len(b.driver.find_elements(By.CSS_SELECTOR, drawn)) <= 150, "the overview")
    b.shot("overview")
    b.driver.find_elements(By.CSS_SELECTOR, drawn)[1].click()
    n = b.run("return explorer.state.chosen.length")
    check(50 <= n <= 100, f"a click in the overview chooses {n} values")
    check(len(b.lit("jvp", "made")) > n, "and lights up what was made of them")
    lit = b.driver.find_elements(By.CSS_SELECTOR, drawn + ".lit-chosen:not(.far)")
    same(len(lit), n, "the part is shown")
    took = b.run("""
        const node = [...document.querySelectorAll(arguments[0])]
          .find((g) => g.textContent.includes("sin"));
        const start = performance.now();
        node.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        document.body.getBoundingClientRect();
        return performance.now() - start;""", drawn + ":not(.far)")
    check("sin" in b.lit("source", "chosen")[0], "a click in a part")
    check(len(b.lit("jvp", "made")) == 3, "lights up its derivative")
    same(len(b.driver.find_elements(By.CSS_SELECTOR, drawn + ".lit-chosen:not(.far)")), 1,
         "the node is lit")
    b.shot("part")
    text = b.run("return document.querySelector('#drawer').textContent")
    check("part 2 of" in text, f"the part is numbered: {text[:200]}")
    b.driver.find_element(By.CSS_SELECTOR, '#drawer [data-go="after"]').click()
    check("part 3 of" in b.driver.find_element(By.ID, "drawer").text, "the next part")
    b.run("explorer.reveal(explorer.data.graphs[0].first + 9000)")
    same(len(b.driver.find_elements(By.CSS_SELECTOR, drawn + ".lit-chosen:not(.far)")), 1,
         "what is chosen elsewhere is shown")
    b.driver.find_element(By.CSS_SELECTOR, '#drawer [data-go="overview"]').click()
    same(len(b.driver.find_elements(By.CSS_SELECTOR, drawn + ".lit-chosen")), 1,
         "its part is lit in the overview")
    print(f"a click in the drawing of a part took {took:.0f} ms")
    b.check_quiet("parts")


def main():
    if not CHROMIUM or not DRIVER:
        print("chromium or chromedriver is missing: apt-get install chromium chromium-driver")
        return 77
    os.makedirs(FOLDER, exist_ok=True)
    b = Browser()
    try:
        for part in (clicks, gpus, keys, links, bodies, hostile, thousands, parts):
            part(b)
    finally:
        b.driver.quit()
    print(f"{failures} failures; pages and screenshots are in {FOLDER}")
    return failures > 0


sys.exit(main())
