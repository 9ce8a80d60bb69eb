import { expect, test } from "vitest";
import { openProject, refusalsOf, translated } from "./project.fixture.ts";

const python = (text: string, others: Readonly<Record<string, string>> = {}): string =>
  translated(text, others).python;

test.each<readonly [string, string]>([
  ["const x = row.n ** 3; return { x };", "function/inexact-math"],
  ["return { x: Math.exp(row.n) };", "function/inexact-math"],
  ["return { x: Math.random() };", "function/randomness"],
  ["return { x: Date.now() };", "function/clock"],
  ["return { x: new Date().getTime() };", "function/clock"],
  ["console.log(row.s); return {};", "function/input-output"],
  ["return { x: process.env };", "function/input-output"],
  ["return { x: fetch(row.s) };", "function/input-output"],
  ["return { x: row.s.localeCompare('a') };", "function/locale"],
  ["return { x: row.n.toLocaleString() };", "function/locale"],
  ["return { x: row.s == row.s };", "function/loose-equality"],
  ["let i = 0; const x = row.xs[i++]; return { x };", ""],
  ["const o = { n: 1 }; const x = (o.n = 2); return { x };", "function/effect-in-expression"],
  ["const x = row.xs.slice(); return { x: x.push(1) };", ""],
  ["return { x: row.u };", ""],
  ["return { x: row.u === 1 };", "function/any"],
  ["return { x: row.u.y };", "function/any"],
  ["return { x: `${row.u}` };", "function/any"],
  ["return { x: row.u ? 1 : 2 };", "function/any"],
  ["return { x: row.o[row.s] };", ""],
  ["const o: Record<string, number> = {}; o[row.s] = 1; return { o };", ""],
  ["return { x: row.s in row.o };", ""],
  ["return { x: row.s in { ...row.o } };", "function/inherited-name"],
  ["return { x: Object.hasOwn(row.o, row.s) ? row.o[row.s] : 0 };", ""],
  ["if (!Object.hasOwn(row.o, row.s)) return { x: 0 }; else return { x: row.o[row.s] };", ""],
  ["row.xs.push(1); return {};", "function/mutated-input"],
  ["const xs = row.xs; xs[0] = 1; return {};", "function/mutated-input"],
  ["const [first] = row.rows; first!.n = 1; return {};", "function/mutated-input"],
  ["for (const r of row.rows) r.n++; return {};", "function/mutated-input"],
  ["const copy = [...row.rows]; copy.pop(); return {};", ""],
  ["const copy = [...row.rows]; copy[0]!.n = 1; return {};", "function/mutated-input"],
  ["const copy = row.rows.map((r) => ({ ...r })); copy[0]!.n = 1; return {};", ""],
  ["TABLE.set('a', 1); return {};", "function/mutated-input"],
  ["return { counter };", "function/module-variable"],
  [
    "const fs: (() => number)[] = []; for (const x of row.xs) fs.push(() => x); return { n: fs.length };",
    "function/escaping-closure",
  ],
  ["return { x: row.xs.map((x) => () => x).length };", "function/escaping-closure"],
  ["return { x: [1, , 2] };", "function/array-hole"],
  ["const it = row.xs.values(); return { x: it.next().done };", "function/iterator"],
  [
    "const m = new Map<string, number>(); for (const k of m.keys()) m.delete(k); return {};",
    "function/changed-while-iterated",
  ],
  ["return { x: /(a)|\\1b/y.test(row.s) };", "function/regexp"],
  ["return { x: new RegExp(row.s).test('a') };", "function/regexp"],
  ["return { x: /a/g.test(row.s) };", "function/regexp"],
  ["return { x: row.s.replace(/a*/g, '-') };", "function/regexp"],
  ["class A {} return { x: 1 };", "function/syntax"],
  ["for (const k in row.o) return { k }; return {};", ""],
  ["for (const k in row.xs) return { k }; return {};", "function/syntax"],
  ["outer: for (;;) break outer; return {};", ""],
  ["switch (row.n) { case 1: row.n; case 2: return {}; } return {};", ""],
  [
    "const groups = new Map<string, { n: number }[]>(); for (const r of row.rows) { const g = groups.get(row.s); if (g) g.push(r); else groups.set(row.s, [r]); } return {};",
    "",
  ],
  [
    "const groups = new Map<string, { n: number }[]>(); groups.set('a', [row.rows[0]!]); groups.get('a')![0]!.n = 1; return {};",
    "function/mutated-input",
  ],
  [
    "const groups = new Map<string, { n: number }[]>([['a', []]]); const g = groups.get('a')!; g.push(row.rows[0]!); groups.get('a')![0]!.n = 1; return {};",
    "function/mutated-input",
  ],
  [
    "const m = new Map(row.rows.map((r) => ['a', r])); m.get('a')!.n = 1; return {};",
    "function/mutated-input",
  ],
  ["throw row.s;", "function/syntax"],
  ["return { x: this };", "function/syntax"],
  ["return { x: row.n + row.b };", "function/mixed-kinds"],
  ["const m = new Map<{ a: number }, number>(); m.set({ a: 1 }, 2); return {};", "function/mixed-kinds"],
  ["return { x: Reflect.ownKeys(row.o) };", "function/built-in"],
  ["return { x: await Promise.resolve(1) };", "function/async"],
])("%s", (body, code) => {
  const found = refusalsOf(
    `const TABLE = new Map<string, number>();\nlet counter = 0;\nexport function run(row: { s: string; n: number; b: boolean; u: unknown; xs: number[]; o: Record<string, number>; rows: { n: number }[] }) { ${body} }`,
  );
  expect([...new Set(found.map((line) => line.split(" ")[1] ?? ""))].slice(0, 1).join()).toBe(code);
});

test("all refusals of a function and of the functions it calls are collected, in source order", () => {
  expect(
    refusalsOf(`const helper = (x: number): number => Math.sin(x) + Math.cos(x);
export function run(row: { s: string; n: number }) {
  const now = Date.now();
  if (row.s == "x") return { x: helper(row.n) };
  return { x: row.n ** row.n, now };
}`),
  ).toEqual([
    "1:44 function/inexact-math `Math.sin`: the last digit may differ between V8 and Python → a `python` step; to compute all elements of a tensor in the same way, an operator outside the step, such as `exp` or `softmax`",
    "1:58 function/inexact-math `Math.cos`: the last digit may differ between V8 and Python → a `python` step; to compute all elements of a tensor in the same way, an operator outside the step, such as `exp` or `softmax`",
    "3:15 function/clock `Date`: a row's result would depend on when it is computed → an input of the step",
    "4:7 function/loose-equality `==` converts its operands → `===`",
    "5:15 function/inexact-math `**`: powers of numbers other than integers differ in the last digit between V8 and Python → products, `Math.sqrt`, or a `python` step",
  ]);
});

test("a global is refused once; values computed with it are not refused as well", () => {
  expect(
    refusalsOf(`export function run({ s, xs }: { s: string; xs: string[] }) {
  const day = new Date(s);
  const days = xs.map((x) => new Date(x)).filter((d) => !isNaN(d.getTime()) && d > day);
  const text = \`\${day.getFullYear()}-\${day}\`;
  const page = new URL(s);
  const host = page.host;
  return { text, days, next: new Date(Date.now() + day.getTime()).toISOString(), host: host.length + 1 };
}`),
  ).toEqual([
    "2:19 function/built-in `Date`: engines parse dates differently, and in the time zone of the machine → a regular expression for the parts, or a `python` step with `datetime`",
    "5:20 function/built-in `URL`: not translated → a regular expression for the parts, or a `python` step with `urllib.parse`",
  ]);
});

test("a refusal only follows from another one if the type of its value does", () => {
  expect(
    refusalsOf(`export function run({ s }: { s: string }) {
  class Count { n = 1; }
  const day = new Date(s);
  const week = (of: Date): number => 7;
  return { x: typeof week === "object", y: day > 1, z: new Count().n };
}`),
  ).toEqual([
    "2:3 function/syntax a class → records and functions",
    "3:19 function/built-in `Date`: engines parse dates differently, and in the time zone of the machine → a regular expression for the parts, or a `python` step with `datetime`",
    '5:15 function/any `typeof` of `(of: Date) => number` compared with "object" → a more specific type, or another test',
  ]);
});

test("`JSON.parse` without a type is refused; values computed with it are not refused as well", () => {
  expect(
    refusalsOf(`export function run({ s }: { s: string }) {
  const o = JSON.parse(s);
  const { a, ...rest } = JSON.parse(s);
  return { x: o.items.map((item) => item.name.trim()), y: a + o.n, rest };
}`),
  ).toEqual(
    ["2:18", "3:31"].map(
      (place) =>
        `${place} function/any \`JSON.parse\` as \`any\` → \`JSON.parse(text) as T\`, with a T of strings, numbers, booleans, null, arrays, records and unions of these`,
    ),
  );
});

test("Python reads bigints with any number of digits", () => {
  const text = `export const run = () => ({ x: ${"9".repeat(4300)}n, y: 1${"0".repeat(4300)}n });`;
  expect(python(text)).toContain(`"x": ${"9".repeat(4300)},`);
  expect(python(text)).toContain(`"y": 0x${(10n ** 4300n).toString(16)}`);
});

test("functions from packages and from Node are refused by name", () => {
  const files = {
    "node_modules/left/package.json":
      '{ "name": "left", "version": "1.0.0", "types": "index.d.ts", "type": "module" }',
    "node_modules/left/index.d.ts": "export declare const pad: (s: string) => string;",
  };
  expect(
    refusalsOf(
      'import { pad } from "left";\nexport function run(row: { s: string }) { return { x: pad(row.s) }; }',
      files,
    ),
  ).toEqual([
    "2:55 function/package `pad` comes from the package left → your own TypeScript code, a tensor operator, or a `python` step",
  ]);
});

test("globals of Node have types without Node's own, and types that lead to ever new types are read as far as they are used", () => {
  const endless = "export interface Endless<T> { readonly size: number; readonly next: Endless<T[]> }";
  const text = `import type { Endless } from "./endless.ts";
export function run({ xs }: { xs: { a: number[] }[] }) {
  const nothing: Endless<string> | undefined = undefined;
  const copy = structuredClone(xs);
  for (const { a } of copy) a.push(1);
  const coder = new TextEncoder();
  return { copy, n: coder.encode("a").length, none: nothing };
}`;
  expect(python(text, { "endless.ts": endless })).toContain("    copy = clone(xs)\n    for t_ in copy:\n");
});

test("noUncheckedIndexedAccess is always on, regardless of the project's settings", () => {
  const files = { "tsconfig.json": '{ "compilerOptions": { "strict": false, "module": "nodenext" } }' };
  expect(
    python("export function run({ xs }: { xs: string[] }) { return { x: xs[2] ?? 'none' }; }", files),
  ).toContain('xs[2] if 2 < len(xs) else "none"');
});

test("names that Python or the support code uses get a suffix; a second variable with the same name gets a number", () => {
  const text = `export function run({ s, len }: { s: string; len: number }) {
  const print = s.length;
  const at = s[len] ?? "";
  const lambda = at + print;
  for (const s of lambda) {
    if (s === at) return { pass: s };
  }
  return { pass: lambda };
}`;
  expect(python(text)).toBe(`def run(row):
    s = row["s"]
    len_ = row["len"]
    print_ = len(s)
    at_ = at(s, len_, "")
    lambda_ = at_ + str(print_)
    for s_ in points(lambda_):
        if s_ == at_:
            return {"pass": s_}
    return {"pass": lambda_}
`);
});

test("names that the surrounding code needs are reserved", () => {
  const project = openProject({
    "a.ts":
      'import { step } from "./step.ts";\nconst execute = 3;\nstep({ name: "x", run: (row: { n: number }) => ({ x: row.n + execute }) });\n',
  });
  const { translated: made } = project.translate("a.ts", 3);
  project.close();
  expect(made?.python).toContain("execute = 3");
  expect(made?.entry).toBe("run");
});

test("the JavaScript is one module that exports run, with the source's line numbers", async () => {
  const { javascript, javascriptLines, files } = translated(
    `import { LIMIT, scale as grow } from "./other.ts";
const LIMIT_2: number = 1;
const scale = (x: number): number => x - LIMIT_2;
export function run(row: { n: number }): { x: number[] } {
  const LIMIT_3 = 0;
  return { x: [grow(row.n), scale(row.n), LIMIT, LIMIT_3] };
}`,
    {
      "other.ts": "export const LIMIT = 9;\nexport function scale(x: number): number { return x * LIMIT; }\n",
    },
  );
  const module = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(javascript)}`
  )) as {
    readonly run: (row: unknown) => unknown;
  };
  expect(module.run({ n: 2 })).toEqual({ x: [18, 1, 9, 0] });
  expect(javascript).not.toContain(": number");
  expect(files).toEqual(["other.ts", "steps.ts"]);
  const at = javascript.split("\n").findIndex((line) => line.includes("return { x:")) + 1;
  expect(javascriptLines.find(({ line }) => line === at)?.at).toMatchObject({ file: "steps.ts", line: 6 });
});

test("lines of Python are mapped to their source positions", () => {
  const { python: text, lines } = translated(
    "const K = 2;\n// Doubles.\nexport function run(row: { n: number }) {\n  const x = row.n * K;\n  return { x };\n}",
  );
  const at = text.split("\n").findIndex((line) => line.includes("return")) + 1;
  expect(lines.find(({ line }) => line === at)?.at).toEqual({ file: "steps.ts", line: 5, column: 3 });
});

test("a module without the step is refused", () => {
  const project = openProject({ "a.ts": "export const x = 1;\n" });
  expect(project.translate("a.ts", 1).refusals[0]?.code).toBe("function/not-found");
  expect(project.translate("b.ts", 1).refusals[0]?.what).toBe("b.ts does not exist");
  project.close();
});

test("JSON that is read as a type is checked identically in both languages", async () => {
  const { python: text, javascript } = translated(
    "interface Tree { value: number; left?: Tree }\nexport function run({ s }: { s: string }) { const tree = JSON.parse(s) as Tree; return { v: tree.left?.value ?? tree.value }; }",
  );
  expect(text).toContain('["record", ["value", "number", False], ["left", ["named", "T1"], True]], {"T1": ');
  const module = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(javascript)}`
  )) as {
    readonly run: (row: unknown) => unknown;
  };
  expect(module.run({ s: '{"value":1,"left":{"value":2}}' })).toEqual({ v: 2 });
  expect(() => module.run({ s: '{"value":1,"left":{}}' })).toThrow(
    "the JSON at .left.value: number expected, got nothing",
  );
});

test("inputs and outputs may be JSON for the caller", async () => {
  const project = openProject({
    "a.ts":
      'import { step } from "./step.ts";\ninterface Q { words: string[] }\nstep({ name: "x", run: (row: { q: Q; n: number }) => ({ out: { count: row.q.words.length }, n: row.n }) });\n',
  });
  const { translated: made } = project.translate("a.ts", 3, 1, { json: { inputs: ["q"], outputs: ["out"] } });
  project.close();
  expect(made?.entry).toBe("run_json");
  expect(made?.python).toContain(`def run_json(row):
    made = run(
        {
            **row,
            "q": parse_as(
                row["q"],
                ["record", ["words", ["array", "string"], False]], {}, "input q: ",
            ),
        },
    )
    return {
        **made,
        "out": value_json(made["out"]) if made.get(
            "out",
            undefined,
        ) is not undefined else undefined,
    }
`);
  const module = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(made?.javascript ?? "")}`
  )) as {
    readonly run: (row: unknown) => unknown;
  };
  expect(module.run({ q: '{"words":["a","b"]}', n: 2 })).toEqual({ out: '{"count":2}', n: 2 });
  expect(() => module.run({ q: "{", n: 2 })).toThrow("input q: the text is not JSON");
});

test.each<readonly [string, string, string]>([
  ["a renamed import", 'import { batchStep as each } from "./steps/make.ts";', "each"],
  ["a namespace", 'import * as t from "./steps/make.ts";', "t.batchStep"],
  ["a re-export under another name", 'import { perRequest } from "./steps/again.ts";', "perRequest"],
])("`batchStep` is recognized through %s", (_what, line, callee) => {
  const project = openProject({
    "steps/make.ts":
      "export const batchStep = <I, O>(options: { readonly name: string; readonly run: (batch: I) => O }) => options;",
    "steps/again.ts": 'export { batchStep as perRequest } from "./make.ts";',
    "main.ts": `${line}\n${callee}({ name: "a", run: ({ q }: { q: { data: { n: number }[]; shape: number[] } }) => ({ n: { data: q.data.map(({ n }) => n), shape: q.shape } }) });\n`,
  });
  try {
    const { refusals, translated: made } = project.translate("main.ts", 2, 1, {
      json: { inputs: ["q"], outputs: [] },
    });
    expect(refusals).toEqual([]);
    expect(made?.python).toMatch(/for text in row\["q"\]\["data"\]/);
  } finally {
    project.close();
  }
});

test("the caller may say that `run` takes a request", () => {
  const project = openProject({
    "main.ts":
      'import { step } from "./step.ts";\nconst own = step;\nown({ name: "a", run: ({ q }: { q: { data: number[]; shape: number[] } }) => ({ n: q }) });\n',
  });
  try {
    const { refusals, translated: made } = project.translate("main.ts", 3, 1, {
      json: { inputs: ["q"], outputs: [] },
      per: "request",
    });
    expect(refusals).toEqual([]);
    expect(made?.python).toMatch(/for text in row\["q"\]\["data"\]/);
  } finally {
    project.close();
  }
});

test("`run` is refused at its position if it is a parameter or the result of an expression", () => {
  const project = openProject({
    "main.ts": `import { step } from "./step.ts";
const named = (run: (row: { n: number }) => object) => step({ name: "a", run });
named(({ n }) => ({ n }));
const make = () => ({ n }: { n: number }) => ({ n });
step({ name: "b", run: make() });
`,
  });
  try {
    const told = [2, 5].map((line) =>
      project
        .translate("main.ts", line)
        .refusals.map(({ code, at, what }) => `${at.line}:${at.column} ${code} ${what}`),
    );
    expect(told).toEqual([
      ["2:74 function/captured `run` belongs to the enclosing function"],
      ["5:24 function/not-found `run` is the result of an expression"],
    ]);
  } finally {
    project.close();
  }
});

test("TypeScript from a package is translated like the project's own, and refusals are reported at their position", async () => {
  const head = 'import { pad, now } from "right";\n';
  const files = {
    "node_modules/right/package.json":
      '{ "name": "right", "version": "1.0.0", "exports": "./index.ts", "type": "module" }',
    "node_modules/right/index.ts":
      "const gap = ' ';\nexport const pad = (s: string): string => `${gap}${s}`;\nexport const now = (): number => Date.now();\n",
  };
  const made = translated(`${head}export const run = ({ s }: { s: string }) => ({ x: pad(s) });`, files);
  expect(made.python).toContain('gap = " "');
  expect(made.files).toEqual(["node_modules/right/index.ts", "steps.ts"]);
  const module = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(made.javascript)}`
  )) as { readonly run: (row: unknown) => unknown };
  expect(module.run({ s: "a" })).toEqual({ x: " a" });
  expect(
    refusalsOf(`${head}export const run = (_: { s: string }) => ({ x: now() });`, files).join("\n"),
  ).toMatch(/^3:\d+ function\/clock /);
});

test("a JSON file is a constant of its module", async () => {
  const {
    python: text,
    javascript,
    files,
  } = translated(
    'import labels from "./data/labels.json" with { type: "json" };\nexport const run = ({ n }: { n: number }) => ({ out: labels.names[n] ?? labels["no-name"], all: labels.scores, yes: labels.deep[0]?.yes === null });',
    {
      "data/labels.json":
        '{\n  "names": ["O", "\\ud83d\\ude00 \\"q\\""],\n  "no-name": "?",\n  "scores": [-0, -1.5, 1e21, 2],\n  "deep": [{ "yes": null }]\n}\n',
    },
  );
  expect(text).toContain(`labels = {
    "names": ["O", "\\ud83d\\ude00 \\"q\\""],
    "no-name": "?",
    "scores": [-0.0, -1.5, 1e+21, 2],
    "deep": [{"yes": None}],
}`);
  expect(files).toEqual(["data/labels.json", "steps.ts"]);
  const module = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(javascript)}`
  )) as { readonly run: (row: unknown) => unknown };
  expect(module.run({ n: 1 })).toEqual({ out: '\u{1f600} "q"', all: [-0, -1.5, 1e21, 2], yes: true });
});

test("refusals for a JSON file", () => {
  const others = { "labels.json": '{ "a": [1], "__proto__": 1 }' };
  const head = 'import labels from "./labels.json" with { type: "json" };\n';
  expect(
    refusalsOf(
      `${head}export const run = (_: { n: number }) => { labels.a.push(1); return { x: 1 }; };`,
      others,
    ),
  ).toEqual([
    expect.stringContaining("function/inherited-name a property named `__proto__`"),
    expect.stringContaining("function/mutated-input"),
  ]);
});

test.each([
  [
    "let n = 0; const add = (one: string) => { n += one.length; }; [q].forEach(add); return { n };",
    "`for…of`, and the array's own name",
  ],
  [
    "const m = /a(b)/.exec(q); return { n: m === null ? [] : [...m] };",
    "an array; of a match, `[m[0], m[1]]`",
  ],
  ['const m = /a(b)/.exec(q); return { n: m === null ? "" : String(m) };', "`m[0]`"],
  ['return { n: q.replace(/a|/g, "-") };', "another pattern, string methods, or a `python` step"],
  ['return { n: q.split(" ").indexOf("a", 1) };', "`list.findIndex((x, i) => i >= from && x === value)`"],
  [
    "const m = new Map([[q, 1]]); const n = m.delete(q); return { n };",
    "`has(k)`, and a separate `delete(k)`",
  ],
])("%s is refused with a way out", (body, instead) => {
  const project = openProject({
    "main.ts": `import { step } from "./step.ts";\nstep({ name: "a", run: ({ q }: { q: string }) => { ${body} } });\n`,
  });
  try {
    expect(project.translate("main.ts", 2).refusals.map((one) => one.instead)).toEqual([instead]);
  } finally {
    project.close();
  }
});

test("a variable that is declared after the function that uses it is refused", () => {
  const body = "const k = (): string => late; const n = k(); const late = q; return { n };";
  const project = openProject({
    "main.ts": `import { step } from "./step.ts";\nstep({ name: "a", run: ({ q }: { q: string }) => { ${body} } });\n`,
  });
  try {
    expect(project.translate("main.ts", 2).refusals.map(({ what }) => what)).toEqual([
      "`late` is declared after the function that uses it",
    ]);
  } finally {
    project.close();
  }
});
