import { functionsOf } from "../topic.ts";
import type { WrittenModule } from "../translate-functions.ts";
import { anyNumbers, arrayOf, dictionaries, texts } from "../typed-inputs.ts";

const inputs = { s: texts, x: anyNumbers, xs: arrayOf(anyNumbers), o: dictionaries(anyNumbers, ["a"]) };

/** Refused constructs: an expression over `inputs`, the code of its refusal, and a part of the message. */
export const refusalCases: readonly (readonly [code: string, refusal: string, says: string])[] = [
  ["Math.exp(x)", "function/inexact-math", "Math.exp"],
  ["Math.log(x)", "function/inexact-math", "Math.log"],
  ["Math.sin(x) + Math.cos(x)", "function/inexact-math", "Math.sin"],
  ["Math.atan2(x, 1)", "function/inexact-math", "Math.atan2"],
  ["Math.hypot(x, x)", "function/inexact-math", "Math.hypot"],
  ["Math.cbrt(x)", "function/inexact-math", "Math.cbrt"],
  ..."log2 log10 log1p expm1 tan asin acos atan sinh cosh tanh asinh acosh atanh"
    .split(" ")
    .map((name) => [`Math.${name}(x)`, "function/inexact-math", `Math.${name}`] as const),
  ["Math.random()", "function/randomness", "Math.random"],
  ["Date.now()", "function/clock", "Date"],
  ["new Date().getTime()", "function/clock", "Date"],
  ["performance.now()", "function/clock", "performance"],
  ["s.localeCompare('a')", "function/locale", "localeCompare"],
  ["s.toLocaleLowerCase()", "function/locale", "toLowerCase"],
  ["x.toLocaleString()", "function/locale", "toFixed"],
  ["Intl.NumberFormat().format(x)", "function/locale", "Intl"],
  ["console.log(s)", "function/input-output", "console"],
  ["fetch(s)", "function/input-output", "fetch"],
  ["process.env['HOME']", "function/input-output", "process"],
  ["s.toLocaleUpperCase()", "function/locale", "toUpperCase"],
  ["s.isWellFormed()", "function/built-in", "isWellFormed"],
  ["s.toWellFormed()", "function/built-in", "toWellFormed"],
  ["xs.toSpliced(0, 1)", "function/built-in", "toSpliced"],
  ["[...xs].copyWithin(0, 1)", "function/built-in", "copyWithin"],
  ["new Array(3).map((_, at) => at)", "function/array-hole", "Array.from"],
  ["s == String(x)", "function/loose-equality", "`===`"],
  ["s != 'a'", "function/loose-equality", "`!=="],
  ["s.substr(1)", "function/built-in", "`slice(start).slice(0, Math.max(length, 0))`"],
  ...["JSON.parse(s, (k, v) => v) as number", "10n.toString(36)", "new Uint16Array(xs, 8, 2)"].map(
    (code) => [code, "function/built-in", "→ a supported function, or a `python` step"] as const,
  ),
  ["s.replace(/(a)(b)?/, (all, a, b) => b ?? a)", "function/any", "the text of `any` → a more specific type"],
  ["Math.cbrt === undefined", "function/built-in", "a function of your own that calls it"],
  ["s.split(/\\s*/)", "function/regexp", "→ another pattern, string methods"],
  ...["xs", "new Float32Array(xs)", "new Set(xs)", "new Map([[s, x]])"].map(
    (of) => [`[${of}.forEach((y) => y)]`, "function/effect-in-expression", "forEach"] as const,
  ),
  ["[1, , 2].length", "function/array-hole", "undefined"],
  ["s in { ...o }", "function/inherited-name", "Object.hasOwn"],
  ["o.constructor === o", "function/inherited-name", "another name"],
  ["({ ...o })[s] ??= 1", "function/inherited-name", "a `const` that holds the object"],
  ["console.log(xs)", "function/input-output", "from a test"],
  ["/a/y.test(s)", "function/regexp", "matchAll"],
  ["/(a)+/.exec(s)", "function/regexp", "capturing group inside a repetition"],
  ["/(a)?\\1/.test(s)", "function/regexp", "may be empty"],
  ["/a/y.test(s)", "function/regexp", "`^` for `text.slice(at)`"],
  [
    "const re = /a/g;\nre.lastIndex = 2;\nreturn { out: re.test(s) };",
    "function/regexp",
    "`^` for `text.slice(at)`",
  ],
  ["const re = /a/;\nreturn { out: re.lastIndex };", "function/regexp", "`^` for `text.slice(at)`"],
  ["new RegExp('(').test(s)", "function/regexp", "a valid regular expression"],
  ["new RegExp(`a${s}`).test(s)", "function/regexp", "words.some("],
  ["new RegExp('a', s).test(s)", "function/regexp", "words.some("],
  ["s.replace(/x*/g, '-')", "function/regexp", ""],
  ["new RegExp(s).test('a')", "function/regexp", ""],
  ["eval(s)", "function/built-in", "eval"],
  ["Symbol('a').toString()", "function/built-in", "Symbol"],
  [
    "const out = [0];\nconst n = out[0]!++;\nreturn { out, n };",
    "function/effect-in-expression",
    "separate statement",
  ],
  [
    "let i = 0;\nconst out = xs.slice(i++, i++);\nreturn { out };",
    "function/effect-in-expression",
    "changes a value that another argument reads",
  ],
  [
    "let i = 0;\nconst out = [0, 0];\nout[i] = i = 1;\nreturn { out };",
    "function/effect-in-expression",
    "may change what the other one reads",
  ],
  ...[
    'const m = new Map<string, string>();\nconst q = s.split(",");\nwhile (q.length > 1) m.set(q.shift()!, q.shift()!);\nreturn { out: [...m.keys()] };',
    'const made: Record<string, string> = {};\nconst q = s.split(",");\nwhile (q.length > 1) made[q.shift()!] = q.shift()!;\nreturn { out: made };',
    'const ids = new Map<string, number>();\nconst edges = new Map<number, number>();\nconst id = (name: string): number => {\n  const known = ids.get(name) ?? ids.size;\n  ids.set(name, known);\n  return known;\n};\nedges.set(id(s), id("b"));\nreturn { out: [...edges.keys()] };',
    'let at = 0;\nconst parts = s.split(",");\nconst next = (): string => parts[at++] ?? "";\nconst made: Record<string, string> = {};\nmade[`at${at}`] = next();\nreturn { out: made };',
    'const q = s.split(",");\nreturn { out: q.shift()!.includes(q.shift()!) };',
    'const q = s.split(",");\nreturn { out: q.shift()!.replace(/a/g, q.shift()!) };',
    'const q = s.split(",").map((w) => ({ n: w.length }));\nconst all = [...q];\nwhile (q.length > 1) q.pop()!.n += 10;\nreturn { out: all.map(({ n }) => n) };',
    ...["xs.map(note)", "give([1])", "s.replace(/b/g, noteText)", "byPart()", "byEach()"].flatMap((call) =>
      [`m.set(n, ${call});`, `m.set(a.n, ${call});`, `made[\`k\${n}\${a.n}\`] = ${call};`].map(
        (code) =>
          `let n = 0;\nconst a = { n: 0 };\nconst note = (y: number): number => {\n  n += 1;\n  a.n += 1;\n  return y;\n};\nconst noteText = (y: string): string => \`\${y}\${note(1)}\`;\nconst give = (by: readonly number[]): number[] => by.map(note);\nconst byPart = (): number => {\n  [n, a.n] = [3, 4];\n  return 1;\n};\nconst byEach = (): number => {\n  for (n of [1, 2]) for (a.n of [1, 2]) n += a.n;\n  return 1;\n};\nconst m = new Map<number, unknown>();\nconst made: Record<string, unknown> = {};\n${code}\nreturn { out: [...m.keys()], made };`,
      ),
    ),
    "const q = [{ v: 1 }, { v: x }];\nconst keep = [...q];\nq.shift()!.v++;\nreturn { out: keep.map(({ v }) => v) };",
  ].map((code) => [code, "function/effect-in-expression", ""] as const),
  ...[
    "forEach((y) => { if (ys.length < 5) ys.push(y); })",
    "map((y) => ys.push(y))",
    "forEach((y) => { add(y); })",
  ].map(
    (call) =>
      [
        `const ys = [...xs];\nconst add = (y: number): void => { ys.push(y); };\nadd(x);\nconst made = ys.slice();\nys.${call};\nreturn { out: made };`,
        "function/changed-while-iterated",
        "callback",
      ] as const,
  ),
  ...["new Float32Array(xs)", "new Map([[s, x]])", "new Set(xs)", "10n", "/a/.exec(s)", "() => x"].flatMap(
    (value) =>
      [`{ a: ${value} }`, `[${value}]`].map(
        (held) => [`JSON.stringify(${held})`, "function/mixed-kinds", "JSON.stringify"] as const,
      ),
  ),
  [
    "const m = new Map<number | boolean, number>();\nreturn { out: m.get(true) ?? 0 };",
    "function/mixed-kinds",
    "as keys",
  ],
  ...["m.add(x)", 'm.add(s === "")', "m.has(true)"].map(
    (call) =>
      [
        `const m = new Set<number | boolean>();\n${call};\nreturn { out: m.size };`,
        "function/mixed-kinds",
        "as keys",
      ] as const,
  ),
  [
    "const r = early();\nconst k = x;\nfunction early(): number {\n  return k;\n}\nreturn { out: r };",
    "function/captured",
    "`k` belongs to the enclosing function",
  ],
  [
    "const early = (): number => k;\nconst r = early();\nconst k = x;\nreturn { out: r };",
    "function/captured",
    "`k` is declared after the function",
  ],
  ...["indexOf", "lastIndexOf", "includes"].flatMap((name) =>
    [
      `[{ a: x }].${name}({ a: x })`,
      `[[x]].${name}([x])`,
      `([1, 0, s] as (number | string | boolean)[]).${name}(x > 1)`,
      `([x, 1n] as (number | bigint)[]).${name}(x)`,
    ].map((code) => [code, "function/mixed-kinds", `\`.${name}()\``] as const),
  ),
  ["xs.indexOf(x, 1)", "function/built-in", "`list.findIndex((x, i) => i >= from && x === value)`"],
  ["xs.lastIndexOf(x, 1)", "function/built-in", "`list.slice(0, from + 1).lastIndexOf(value)`"],
  ["xs.includes(x, 1)", "function/built-in", "`list.slice(from).includes(value)`"],
  ["new Float32Array(xs).includes(x, 1)", "function/built-in", "`list.slice(from).includes(value)`"],
  ["s.includes('a', 1)", "function/built-in", "`text.substring(from).includes(part)`"],
  ["xs.push(1);\nreturn { out: xs };", "function/mutated-input", "[...list]"],
  ["for (xs[0] of [5, 6]) xs;\nreturn { out: xs };", "function/mutated-input", "[...list]"],
  [
    "const a = new Float32Array(4);\nconst b = a.subarray(1, 3);\na[1] = 2;\nreturn { out: b[0] };",
    "function/mutated-input",
    "the assignment changes an array that shares its memory with a `subarray`",
  ],
  [
    "const a = new Float32Array(4);\na.subarray(1, 3).fill(1);\nreturn { out: a };",
    "function/mutated-input",
    "`a.fill(x, from, to)`",
  ],
  ["counter += 1;\nreturn { out: counter };", "function/module-variable", "const"],
  [
    "const fs: (() => number)[] = [];\nfor (const y of xs) fs.push(() => y);\nreturn { out: fs.map((f) => f()) };",
    "function/escaping-closure",
    "loop",
  ],
  [
    "let out = 0;\nouter: {\n  if (x > 0) break outer;\n  out = 1;\n}\nreturn { out };",
    "function/syntax",
    "a label on a non-loop statement",
  ],
  [
    "let out = 0;\nswitch (s) {\n  case 'a':\n    for (const y of xs) out += y;\n    try {\n      if (out > 1) break;\n    } finally {\n      out++;\n    }\n    out = 2;\n}\nreturn { out };",
    "function/syntax",
    "followed by more statements",
  ],
  ["var out = 1;\nreturn { out };", "function/syntax", "var"],
  ["class A {\n  n = 1;\n}\nreturn { out: new A().n };", "function/syntax", ""],
  ["function* g(): Generator<number> {\n  yield 1;\n}\nreturn { out: [...g()] };", "function/syntax", ""],
  ["const out: any = s;\nreturn { out: out + 1 };", "function/any", "any"],
  ["const out: number | string = x > 0 ? x : s;\nreturn { out: out + 1 };", "function/mixed-kinds", ""],
  ["const re = /a/g;\nreturn { out: re.exec(s)?.[0] ?? '' };", "function/regexp", "matchAll"],
  ["let out = '';\nfor (const k in xs) out += k;\nreturn { out };", "function/syntax", "entries()"],
  ["delete xs[0];\nreturn { out: xs };", "function/mutated-input", ""],
  ["(async () => s)()", "function/async", ""],
  ["x ** 3", "function/inexact-math", "→ `x * x * x`"],
  ["x ** 0.5", "function/inexact-math", "→ `Math.sqrt(x)`"],
  ["x ** -1", "function/inexact-math", "→ `1 / x`"],
  ["x ** x", "function/inexact-math", "powers of numbers other than integers"],
  ["Math.hypot(x, 1)", "function/inexact-math", "→ `Math.sqrt(x * x + y * y)`"],
  ["Math.log(x)", "function/inexact-math", "→ a `python` step; to compute all elements of a tensor"],
  ["new Date(s).getTime()", "function/built-in", "a regular expression for the parts"],
  ["Date.parse(s)", "function/built-in", "in the time zone of the machine"],
  ["new Intl.NumberFormat('en').format(x)", "function/locale", "→ `toFixed(digits)`"],
  ["Buffer.from(s).length", "function/input-output", "`new TextEncoder().encode(text)`"],
  ["new URL(s).host", "function/built-in", "urllib.parse"],
  ["encodeURI(s)", "function/built-in", "`encodeURIComponent` of each part"],
  ["new TextDecoder('latin1').decode(new Uint8Array(1))", "function/built-in", "UTF-8"],
  ["Color[x]", "function/syntax", "translated only by name, as in `Color.Red`"],
  ["if (x > 1) throw new OwnError(s);\nreturn { out: 1 };", "function/syntax", "`throw new Error(message)`"],
  [
    "const out = { get n() {\n  return x;\n} };\nreturn { out: out.n };",
    "function/syntax",
    "a getter or setter",
  ],
  ["function* g() {\n  yield x;\n}\nreturn { out: [...g()] };", "function/syntax", "`push` to an array"],
  ["new RegExp(xs.join('|')).test(s)", "function/regexp", "words.some("],
  ["/(é)\\1/i.test(s)", "function/regexp", "two groups and a comparison of them"],
  ["s.split(/(a)|b/, 2)", "function/regexp", "→ another pattern, string methods"],
  [
    "const seen = new Set(s);\nconst list = [seen];\nconst other = list[0]!;\nfor (const c of seen) if (other.size < 9) other.add(c + c);\nreturn { out: [...seen] };",
    "function/changed-while-iterated",
    "→ a copy to iterate over",
  ],
  [
    "const seen = new Set(s);\nseen.forEach((c) => {\n  if (seen.size < 9) seen.add(c + c);\n});\nreturn { out: [...seen] };",
    "function/changed-while-iterated",
    "→ a copy to iterate over",
  ],
  [
    "const seen = new Set(s);\nconst grow = (set: Set<string>): Set<string> => set.add(`${set.size}`);\nfor (const c of grow(seen)) if (seen.size < 9) seen.add(c + c);\nreturn { out: [...seen] };",
    "function/changed-while-iterated",
    "→ a copy to iterate over",
  ],
  [
    "((l: { length: number }) => l.length)(xs)",
    "function/mixed-kinds",
    "where `{ length: number; }` is expected",
  ],
  ["[...((l: Iterable<string>) => l)(s)]", "function/mixed-kinds", "where `Iterable<string"],
  ["s.search('a')", "function/regexp", "`text.indexOf(part)` for a fixed text"],
  ["Object.groupBy(xs, (x) => `${x}`)", "function/built-in", "→ a loop with `(groups[key] ??= []).push(x)`"],
  [
    "Map.groupBy(xs, (x) => x)",
    "function/built-in",
    "→ a loop with `groups.set(key, [...(groups.get(key) ?? []), x])`",
  ],
  ["new Set(xs).union(new Set([1]))", "function/built-in", "→ `new Set([...a, ...b])`"],
  ["new Set(xs).isSubsetOf(new Set([1]))", "function/built-in", "→ `[...a].every((x) => b.has(x))`"],
  [
    "new Set(xs).intersection(new Set([1]))",
    "function/built-in",
    "→ `new Set([...a].filter((x) => b.has(x)))`",
  ],
  [
    "new Set(xs).difference(new Set([1]))",
    "function/built-in",
    "→ `new Set([...a].filter((x) => !b.has(x)))`",
  ],
  [
    "new Set(xs).symmetricDifference(new Set([1]))",
    "function/built-in",
    "→ `filter` with `has` on both sets",
  ],
  ["new Set(xs).isSupersetOf(new Set([1]))", "function/built-in", "→ `[...b].every((x) => a.has(x))`"],
  ["new Set(xs).isDisjointFrom(new Set([1]))", "function/built-in", "→ `![...a].some((x) => b.has(x))`"],
  ["((v: Date) => v.getTime())(s as never)", "function/any", "→ the date as text, or as a number of millis"],
  ["xs.map((...all) => all.length)", "function/syntax", "the parameters by their names"],
  ["[s].map(parseInt)", "function/syntax", "(x) => parseInt(x)"],
  [
    "const wide = (y: number, base = 10): number => y + base;\nconst f: (y: number) => number = wide;\nreturn { out: xs.map(f) };",
    "function/syntax",
    "more arguments than its type declares",
  ],
  [
    "try {\n  return { out: s.repeat(x) };\n} finally {\n  return { out: 1 };\n}",
    "function/syntax",
    "out of `finally`",
  ],
];

/** All of them as functions, in order. */
export const refusedModule: WrittenModule = {
  functions: functionsOf({ about: "refusals", inputs, cases: refusalCases.map(([code]) => code) }, "f"),
  preamble: "let counter = 0;\nenum Color { Red, Green }\nclass OwnError extends Error {}",
};
