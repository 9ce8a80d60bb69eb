import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { checkRepository } from "@tritype/check";
import { defaultRelease } from "@tritype/triton";
import { beforeAll, describe, expect, test } from "vitest";
import { pythonWithNumpy } from "../../environment/python.ts";
import { caseHost } from "../judge/case-files.ts";

const refused: readonly string[] = [
  "if x:\n\ty = 1\n        z = 1\n",
  "if x:\n        y = 1\n\tz = 1\n",
  "if x:\n    y = 1\n  z = 1\n",
  "x = 1\n  y = 2\n",
  "  x = 1\n",
  "return 1\n",
  "class A:\n    return\n",
  "def f():\n    class A:\n        return 1\n",
  "def f(a, a): pass\n",
  "f = lambda a, a: 1\n",
  "def f(a, *, b, **a): pass\n",
  "x = 1\0\n",
  "# a remark \0\nx = 1\n",
  "await f()\n",
  "def f():\n    await g()\n",
  "async def f():\n    return lambda: await g()\n",
  "yield 1\n",
  "yield\n",
  "x = (yield)\n",
  "class A:\n    x = yield 1\n",
  "def f():\n    async with a: pass\n",
  "async with a: pass\n",
  "def f():\n    async for a in b: pass\n",
  "break\n",
  "if x:\n    continue\n",
  "for x in y:\n    def f():\n        break\n",
  "while x:\n    pass\nelse:\n    break\n",
  "for x in y:\n    class A:\n        continue\n",
  "nonlocal x\n",
  "def f():\n    nonlocal x\n",
  "class A:\n    def f(self):\n        nonlocal x\n",
  "None = 1\n",
  "x = True = 1\n",
  '"a" = 1\n',
  "f() = 1\n",
  "a.b() += 1\n",
  "a, b += 1\n",
  "a + b = 1\n",
  "a, f() = 1, 2\n",
  "for f() in x: pass\n",
  "x = [1 for 2 in y]\n",
  "del f()\n",
  "(a.b := 1)\n",
  "f(a=1, b)\n",
  "f(**a, b)\n",
  "f(**a, *b)\n",
  "f(a=1, a=2)\n",
  "class A(metaclass=B, C): pass\n",
  "def f():\n    x = 1\n    global x\n",
  "def f():\n    print(x)\n    global x\n",
  "x = 1\nglobal x\n",
  "def f(x):\n    global x\n",
  "def f(a=1, b): pass\n",
  "f = lambda a=1, b: 1\n",
  "def f(*): pass\n",
  "def f(*, **a): pass\n",
  "def f(**a, b): pass\n",
  "import os\nfrom __future__ import annotations\n",
  "def f():\n    from __future__ import annotations\n",
  "def f():\n    from os import *\n",
  "x = '''abc\n",
  "x = f'abc\n",
  "x = f'''abc\n",
  "x = (1,\n",
  "x = [1, 2\ny = 3\n",
  "x = {'a': 1\n",
  "try:\n    pass\nx = 1\n",
  "try:\n    pass\nexcept:\n    pass\nexcept A:\n    pass\n",
  "raise A, 'b'\n",
  "x = a <> b\n",
  "x = 0777\n",
  "a.class = 1\n",
  "x.cuda(async=True)\n",
];

const accepted: readonly string[] = [
  "if x:\n\ty = 1\n\tz = 1\n",
  "if x:\n    if y:\n    \tz = 1\n    a = 2\n",
  "if x:\n    y = (1,\n\t2)\n    z = '''\n\ta\n  b'''\n  # c\n\t# d\n    w = 1\n",
  "if x: # why\n    y = 1 + \\\n  2\n\n  \n    z = {\n}\n",
  "x = {'a:': 1}; y = x['a:'  :\n  ]\nz = 1\n",
  "class A:\n  def f(self):\n      return 1\n  def g(self):\n     return 2\n",
  "def f():\n    class A: pass\n    return A\n",
  "def f(a, b): return lambda a, b: a\n",
  "async def f():\n    async with a as b, c: await b\n    async for d in e:\n        if d: break\n    return [await g for g in h]\n",
  "def f():\n    return (await a for a in b)\n",
  "async def f():\n    def g():\n        yield\n    x = yield 1\n    await g()\n",
  "f = lambda: (yield)\n",
  "for x in y:\n    for z in x: pass\n    else: break\n",
  "while x:\n    try: break\n    finally: continue\n",
  "for x in y:\n    with z:\n        if a: continue\n        else: break\n",
  "def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n",
  "def f():\n    x = 1\n    class A:\n        nonlocal x\n        x = 2\n",
  "a.b, c[0], *d = [e, (f, g)] = h\n() = []\n[] = ()\nf().x = g()[0] = 1\n",
  "f().a += 1\nx[1:2] += 1\n(x) = 1\n(x): int = 1\nx: int\n",
  "for a.b, (c[0], *d) in e: pass\nx = [1 for a, (b, *c) in d if b for e in c]\n",
  "del a, (b, c.d), [e[0]], f().g\n",
  "x = (a := f()) + 1\nprint(b := 1, c == 2, *d)\n",
  "f(a, *b, c=1, *d, **e, g=2)\nf(*a, b, c=1)\nf(c=1, *a)\n",
  "f(**a, b=1, **c)\nf(a=1)(a=2)\nf(a=g(a=1), b=2)\n",
  "f(a for a in b)\nf((a for a in b), c)\nf(print=1, type=2, match=3)\n",
  "class A(B, metaclass=C): pass\n",
  "def f():\n    global x, y\n    global x\n    x = 1\n",
  "def f():\n    def g(): return x\n    h = lambda: x\n    i = [x for x in y]\n    k(x=1)\n    a.x = 2\n    global x\n",
  "def f():\n    try: pass\n    except E: print(x)\n    else:\n        global x\n",
  "global x\nx = 1\n",
  "def f(a, b=1, *c, d, e=2, g, **h): pass\n",
  "def f(a, b=1, *, c, d=2, e): pass\nf = lambda a, b=1, *c, d: 1\n",
  "def f(a, **b,): pass\ndef g(*, a): pass\ndef h(*a): pass\n",
  '"""What it is."""\nfrom __future__ import annotations\nfrom __future__ import division; import os\n',
  "#!/usr/bin/python\n# a\nfrom __future__ import annotations\nx: A = 1\n",
  "try:\n    pass\nexcept A:\n    pass\nexcept:\n    pass\n",
  "try:\n    pass\nfinally:\n    pass\n",
  "x = 0_0 + 00 + 0.5 + 07.5 + 09e1 + 09j + 0x1f + 0o17 + 0b11\n",
  "match x:\n    case A(b=1): pass\n    case {'a': 1, **b}: pass\n    case -1 | 2.5: pass\n    case _: pass\n",
  "match = 1; case = 2; type = 3; a.print = 4; a.match = 5\n",
  "print = 4\n",
  "x = f'{a:>{b}} {c!r}' 'd' f\"\"\"{e}\n {g['h']}\"\"\"\n",
  "@a.b(c=1)\nclass D:\n    x = [y for y in z]\n    def f(self, a=lambda b: b): yield from a\n",
  "if x:\r\n    y = 1\r\n    z = '''\r\n  a'''\r\n",
  "\uFEFFx = 1\n",
  "if x:\n    pass\n\f\ndef f():\n    pass\n",
];

const program = `
import json, sys, warnings
warnings.simplefilter("ignore")
def compiles(text):
    try:
        compile(text.encode(), "model.py", "exec")
        return True
    except (SyntaxError, ValueError):
        return False
print(json.dumps([compiles(text) for text in json.loads(sys.argv[1])]))
`;

const config = 'backend: "python"\ninput { name: "x" data_type: TYPE_FP32 dims: 4 }\n';

const refuses = (text: string): boolean =>
  checkRepository(caseHost({ "m/config.pbtxt": config, "m/1/model.py": text }), {
    release: defaultRelease,
  }).diagnostics.some(({ code }) => code === "python/syntax-error");

let compiles: ReadonlyMap<string, boolean> = new Map();
beforeAll(async () => {
  const texts = [...refused, ...accepted];
  const python = await pythonWithNumpy();
  const { stdout } = await promisify(execFile)(python, ["-c", program, JSON.stringify(texts)]);
  const answers = JSON.parse(stdout) as readonly boolean[];
  compiles = new Map(texts.map((text, i) => [text, answers[i] === true]));
}, 300_000);

describe("code that CPython refuses to compile is refused", () => {
  test.each(refused)("%j", (text) => expect([compiles.get(text), refuses(text)]).toEqual([false, true]));
});

describe("code that CPython compiles is accepted", () => {
  test.each(accepted)("%j", (text) => expect([compiles.get(text), refuses(text)]).toEqual([true, false]));
});
