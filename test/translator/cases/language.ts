import type { Topic } from "../topic.ts";
import { arrayOf, counts, dictionaries, integers, nullable, records, texts } from "../typed-inputs.ts";
import { prose, spokenWords } from "./prose.ts";

/** Language constructs: side effects in expressions, jumps out of loops, and iteration over records. */
export const languageTopics: readonly Topic[] = [
  {
    about: "positions",
    inputs: { xs: arrayOf(integers), list: spokenWords },
    cases: [
      "return { out: xs.reduce((sum, x, i) => sum + x * i, 0) };",
      "return { out: xs.reduceRight((acc, x) => acc * 2 - x, 0) };",
      "return { out: xs.reduceRight((acc, x, i) => acc + x * i, 0) };",
      "return { out: xs.find((x, i) => x > i), at: xs.findIndex((x, i) => x < i), last: xs.findLast((x) => x > 0), lastAt: xs.findLastIndex((x, i) => x > i) };",
      "return { some: xs.some((x, i) => x === i), every: xs.every((x, i) => x >= -i), flat: xs.flatMap((x, i) => [x, i]) };",
      'return { flat: list.flatMap((w) => w.split("")), maybe: list.flatMap((w) => (w.length > 2 ? w : [])) };',
      "return { out: list.map((w, i, all) => `${i}/${all.length} ${w}`) };",
      'return { out: list.reduce((longest, w) => (w.length > longest.length ? w : longest), ""), joined: list.reduce((a, b) => `${a} ${b}`, "") };',
      "return { out: list.reduce((acc, w) => ({ ...acc, [w]: w.length }), {} as Record<string, number>) };",
      "return { out: list.reduce((acc, w) => acc.set(w, (acc.get(w) ?? 0) + 1), new Map<string, number>()) };",
      "return { out: xs.map((x, i) => (i === 0 ? x : x - xs[i - 1]!)) };",
    ],
  },
  {
    about: "typeof",
    inputs: { text: prose, n: counts, maybe: nullable(texts) },
    cases: [
      "const value: string | number = n > 3 ? n : text;\nreturn { out: typeof value };",
      'return { out: typeof maybe === "string" ? maybe : "none" };',
      "return { out: maybe ? maybe.length : 0 };",
    ],
  },
  {
    about: "queues and values that do not disturb each other",
    inputs: { s: texts, xs: arrayOf(integers), x: integers },
    cases: [
      "const q = s.split('');\nfor (let i = 0; i < 3 && q.length > 0; i++) q.push(q.shift()!);\nreturn { out: q };",
      "const q = s.split('');\nconst o: Record<string, string> = {};\nfor (const name of ['a', 'b']) o[name] = q.shift() ?? '';\nreturn { out: o };",
      "const names = ['a', 'b'];\nconst q = s.split('');\nconst o: Record<string, string> = {};\nfor (let i = 0; i < 2; i++) o[names[i]!] = q.shift() ?? '';\nreturn { out: o };",
      "const slug = (t: string): string => {\n  const parts: string[] = [];\n  for (const c of t) parts.push(c);\n  return `_${parts.join('-')}`;\n};\nconst o: Record<string, string> = {};\no[slug(s)] = slug(`${s}!`);\nconst m = new Map<string, string>();\nm.set(slug(s), slug('b'));\nreturn { o, m: [...m] };",
      "const ys = [...xs];\nxs.forEach((y, i) => { ys[i] = y * 2; });\nxs.forEach((y) => { ys.push(y); });\nreturn { ys };",
      "const rows = xs.map((y) => [y]);\nrows.forEach((row) => { row.push(x); });\nreturn { rows };",
      "const counts = new Map<string, number>();\nfor (const c of s) counts.set(c, (counts.get(c) ?? 0) + 1);\nreturn { out: [...counts] };",
      "const q = s.split('');\nconst counts: Record<string, number> = {};\nfor (const c of q) counts[`_${c}`] = 0;\nwhile (q.length > 0) counts[`_${q.pop()!}`]! += 1;\nreturn { out: counts };",
    ],
  },
  {
    about: "effects",
    inputs: { xs: arrayOf(integers), n: counts, text: texts },
    cases: [
      "let a = 0;\nlet b = 0;\na = b = n;\nreturn { a, b };",
      "let i = 0;\nconst first = xs[i++] ?? 0;\nconst second = xs[i++] ?? 0;\nreturn { first, second, i };",
      "let id = 0;\nconst out = xs.map((x) => ({ id: id++, x }));\nreturn { out };",
      "let i = n;\nwhile (i-- > 0) if (xs[i]! > 3) break;\nreturn { i };",
      "let x: number | undefined;\nif (n > 3) x = 2;\nx ??= 7;\nreturn { x };",
      "const cache = new Map<number, number>();\nconst square = (k: number): number => {\n  let v = cache.get(k);\n  if (v === undefined) cache.set(k, (v = k * k));\n  return v;\n};\nreturn { out: xs.map(square), n: cache.size };",
      "const stack = [...xs];\nlet top: number | undefined;\nlet sum = 0;\nwhile ((top = stack.pop()) !== undefined) sum += top;\nreturn { sum };",
      "const queue = [...xs];\nlet out = 0;\nwhile (queue.length) {\n  const x = queue.shift()!;\n  out += x;\n  if (x > 50) queue.push(x - 50);\n}\nreturn { out };",
      "let k = 0, s = '';\nfor (;;) {\n  if (++k > n) break;\n  s += k;\n}\nreturn { s };",
      "const out: number[] = [];\nconst length = out.push(...xs);\nreturn { length };",
    ],
  },
  {
    about: "labels",
    inputs: { grid: arrayOf(arrayOf(integers)), n: counts },
    cases: [
      "let found = -1;\nouter: for (const [y, row] of grid.entries()) {\n  for (const x of row) {\n    if (x === n) {\n      found = y;\n      break outer;\n    }\n    if (x < 0) continue outer;\n  }\n}\nreturn { found };",
      "let count = 0;\nouter: for (let i = 0; i < 5; i++) {\n  for (let j = 0; j < 5; j++) {\n    if (j === n) continue outer;\n    if (i * j > n) break outer;\n    count++;\n  }\n}\nreturn { count };",
    ],
  },
  {
    about: "records",
    inputs: {
      o: dictionaries(integers, ["a", "b", "7", "x y"]),
      p: records({ a: integers, b: texts }, ["a"]),
      text: prose,
    },
    cases: [
      "const out: string[] = [];\nfor (const k in o) out.push(`${k}=${o[k]}`);\nreturn { out };",
      'const key = text.length > 4 ? "long" : "short";\nreturn { out: { [key]: text, [`${key}2`]: 1, ...p } };',
      "const { b, ...rest } = p;\nreturn { b, rest };",
      "return { out: Object.assign({}, p, { c: 1 }) };",
      'const out = { ...p };\nObject.assign(out, { b: "x" });\nreturn { out };',
      "return { out: Object.values(o).reduce((a, b) => a + b, 0), n: Object.keys(o).length };",
      "const inverted = Object.fromEntries(Object.entries(o).map(([k, v]) => [String(v), k]));\nreturn { inverted };",
      "const sorted = Object.fromEntries(Object.entries(o).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));\nreturn { sorted };",
      'const f: ((x: number) => number) | undefined = text === "" ? undefined : (x) => x + 1;\nreturn { out: f?.(1) ?? 0 };',
      'return { has: "a" in p, d: p.a ?? -1 };',
      'const key: keyof typeof p = text ? "a" : "b";\nreturn { out: p[key] };',
    ],
  },
  {
    about: "parameters",
    inputs: { xs: arrayOf(integers), n: counts, text: texts },
    preamble:
      'const total = (...xs: number[]): number => xs.reduce((a, b) => a + b, 0);\nconst scale = (x: number, { by = 2, plus = 0 }: { by?: number; plus?: number } = {}): number => x * by + plus;\nconst tag = (name: string, attrs: Record<string, string> = {}, ...children: string[]): string => `<${name}${Object.entries(attrs).map(([k, v]) => ` ${k}="${v}"`).join("")}>${children.join("")}</${name}>`;\nconst compose = <A, B, C>(f: (a: A) => B, g: (b: B) => C) => (a: A): C => g(f(a));\nconst pipe = compose((s: string) => s.trim(), (s) => s.length);\nconst unique = <T extends string | number>(items: readonly T[]): T[] => [...new Set(items)];',
    cases: [
      "return { out: total(...xs, n), none: total() };",
      "return { a: scale(n), b: scale(n, { by: 3 }), c: scale(n, { plus: 1, by: n }) };",
      'return { out: tag("p", { id: text }, "a", tag("b")) };',
      "return { out: pipe(text) };",
      'return { out: unique(xs), two: unique([text, "a", text]) };',
    ],
  },
  {
    about: "iteration",
    inputs: { xs: arrayOf(integers), list: spokenWords, o: dictionaries(integers, ["a", "b", "7"]) },
    cases: [
      "const m = new Map(list.map((w, i) => [w, i]));\nconst out: string[] = [];\nfor (const [k, v] of m) out.push(k + v);\nfor (const k of m.keys()) out.push(k);\nm.forEach((v, k) => out.push(`${k}${v}`));\nreturn { out, values: [...m.values()], entries: Array.from(m.entries()), size: m.size };",
      "const m = new Map(Object.entries(o));\nreturn { out: Object.fromEntries(m) };",
      'return { out: Array.from(new Set(xs), (x) => x * 2), t: Array.from("héllo😀"), u: Array.from(list, (w, i) => `${i}${w}`) };',
      "return { out: Array(5).fill(0).map((_, i) => i * xs.length) };",
      "return { out: [...Array(3).keys()] };",
      "return { out: new Array(xs.length).fill(0) };",
      "const matrix = Array.from({ length: 3 }, () => Array(3).fill(0));\nreturn { matrix };",
      "const matrix: number[][] = Array.from({ length: 3 }, () => new Array<number>(3).fill(0));\nmatrix[1]![2] = 5;\nreturn { matrix };",
      "const a = new Set(xs);\nconst b = new Set([1, 2, 3]);\nreturn { both: [...a].filter((x) => b.has(x)), only: a.size };",
      'const m = new Map<string, Map<string, number>>();\nfor (const w of list) {\n  const inner = m.get(w[0] ?? "") ?? new Map<string, number>();\n  inner.set(w, (inner.get(w) ?? 0) + 1);\n  m.set(w[0] ?? "", inner);\n}\nreturn { out: [...m].map(([k, v]) => [k, v.size] as const) };',
    ],
  },
];
