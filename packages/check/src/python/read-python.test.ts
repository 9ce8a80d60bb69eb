import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPython } from "./parse/read-python.ts";
import type { Statement } from "./syntax.ts";

const broken = (text: string): number | undefined => {
  const file = readPython(text);
  return file.kind === "broken" ? text.slice(0, file.from).split("\n").length : undefined;
};

describe("what CPython refuses", () => {
  test.each([
    ["def f(:\n  pass\n", 1],
    ["class A\n  pass\n", 1],
    ['print "x"\n', 1],
    ["for i in range(3) print(i)\n", 1],
    ["x = = 1\n", 1],
    ["if a = 1:\n  pass\n", 1],
    ["def f():\npass\n", 2],
    ['x = 1\ny = "abc\n', 2],
    ["else:\n  pass\n", 1],
    ['import json\ndef f():\n    return {"a": 1\n', 3],
    ["x = (1,\n\n\n", 1],
    ["def f():\n    return [1\n\n# the end\n", 2],
  ])("%j", (text, line) => expect(broken(text)).toBe(line));
});

describe("what CPython accepts", () => {
  test.each([
    "x = 1. + 2.5 - .5e3j",
    "def f():\n    yield\n    x = yield\n    return (yield)",
    "with a() as (b, c), d() as self.e:\n    pass",
    "with (a() as b, c() as d):\n    pass",
    "for a, b, *c in d:\n    pass",
    "match x:\n    case int() | str(): pass\n    case {}: pass\n    case [a, *_] if a: pass",
    "f = lambda a, /, b=1, *c, d, **e: a",
    "def f(a, /, b: int = 1, *, c, **d) -> list[int]: ...",
    'x = f"{a!r:>{b}} {c[\'d\']}" rf"\\{{e}}" b"f" \'g\'',
    "async def f():\n    async with a as b: await c\n    async for d in e: pass\n    return [g async for g in h]",
    "try:\n    pass\nexcept* (A, B) as e:\n    pass",
    "if (n := f(x)) > 1: print(n)",
    "@a.b(c)\nclass D(E, metaclass=F):\n    x: int\n    y: int = 1",
    "print(a, file=b); print",
    "def f():\n    x = (yield)",
    "if x:\n    pass\n\f\ndef f():\n    pass",
    "type X = int",
    "def f[T](a: T) -> T: return a",
    "x = {**a, 'b': 1, **{c: d for c, d in e}}",
    "f(*a, **b, c=1)",
    "global z\ndel b, c[0]\nassert d, 'e'\nraise F from g",
    "x = a if b else c or d and not e in f is not g",
    "x[1:2, ..., ::3] = y[::-1]",
    "\uFEFFx = 1",
    "x = 1 \\\n  + 2\n",
    "",
    "# only a remark",
  ])("%j", (text) => expect(broken(`${text}\n`)).toBeUndefined());
});

const only = (text: string): Statement => {
  const file = readPython(text);
  if (file.kind !== "module" || file.module.body.length !== 1 || file.module.body[0] === undefined)
    throw new Error(file.kind);
  return file.module.body[0];
};

/** A tree without positions. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      key === "from" || key === "to" || key === "namePlace" ? undefined : inner,
    ),
  );

test("calls keep keyword names, stars and generators", () =>
  expect(bare(only('f(a, *b, key="v", **c)'))).toEqual({
    kind: "expression",
    value: {
      kind: "call",
      callee: { kind: "name", name: "f" },
      args: [
        { star: "", value: { kind: "name", name: "a" } },
        { star: "*", value: { kind: "name", name: "b" } },
        { name: "key", star: "", value: { kind: "text", value: "v", parts: [] } },
        { star: "**", value: { kind: "name", name: "c" } },
      ],
    },
  }));

test("imports list the names they bind", () =>
  expect(
    [
      only("import a.b"),
      only("import a.b as c"),
      only("from a.b import c, d as e"),
      only("from . import f"),
    ].map(bare),
  ).toEqual([
    { kind: "import", names: [{ name: "a", source: "a" }], star: false },
    { kind: "import", names: [{ name: "c", source: "a.b" }], star: false },
    {
      kind: "import",
      names: [
        { name: "c", source: "a.b.c" },
        { name: "e", source: "a.b.d" },
      ],
      star: false,
    },
    { kind: "import", names: [{ name: "f", source: "..f" }], star: false },
  ]));

test("string literals are read as their values", () =>
  expect(
    ['"a\\n\\x41"', "r'\\d'", '"""b"""', '"c" "d"', 'f"{e}"', 'b"f"'].map((text) => {
      const statement = only(text);
      return statement.kind === "expression" && statement.value.kind === "text"
        ? statement.value.value
        : statement;
    }),
  ).toEqual(["a\nA", "\\d", "b", "cd", undefined, undefined]));

test("any text is read without throwing", () =>
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => {
      readPython(text);
    }),
  ));

test("any mix of Python fragments is read without throwing", () => {
  const pieces = [
    "def ",
    "class ",
    "f(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    "\n",
    "\n    ",
    "for ",
    " in ",
    "x",
    "=",
    ",",
    "*",
    "**",
    ".",
    "with ",
    " as ",
    "lambda ",
    "match ",
    "case ",
    '"',
    "f'{",
    "import ",
    "from ",
    "if ",
    "else",
    "try",
    "except",
    "@",
    "yield",
    "return ",
    ":=",
    "del ",
    "1.",
    ";",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
      readPython(parts.join(""));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["parentheses", "(", ")"],
  ["signs in brackets, which the parser itself recurses into", "[-", "]"],
])("deep nesting is reported as unclear and does not crash: %s", (_, open, close) => {
  for (const depth of process.env["TRITYPE_LOAD"] === "long" ? [20_000, 100_000] : [20_000])
    expect(readPython(`x = ${open.repeat(depth)}1${close.repeat(depth)}`).kind).toBe("unclear");
});
