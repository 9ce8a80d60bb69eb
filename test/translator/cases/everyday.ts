import type { Topic } from "../topic.ts";
import {
  anyNumbers,
  arrayOf,
  bigints,
  booleans,
  counts,
  integers,
  nullable,
  oneOf,
  places,
  records,
  texts,
} from "../typed-inputs.ts";

const rules = `
const rules: readonly (readonly [RegExp, string])[] = [[/^\\d+$/, "number"], [/^[a-z]+$/i, "word"], [/^\\s*$/, "nothing"]];
const table: Readonly<Record<string, RegExp>> = { a: /a+/, b: /(b)(c)?/ };
interface Rule { readonly pattern: RegExp; readonly by: string }
const edits: readonly Rule[] = [{ pattern: /a+/g, by: "<$&>" }, { pattern: /\\s/g, by: "_" }];
const hits = (pattern: RegExp, text: string): boolean => pattern.test(text);
const WORD = "[a-z]+";
const FLAGS = "gi";
const words = new RegExp(WORD + "(?:-" + WORD + ")*", FLAGS);
const token = /^(?:[a-z]+|\\d+|\\s+|[^])/i;
const first = (text: string, pattern: RegExp): string => pattern.exec(text)?.[0] ?? "none";
`;

const collections = `
const unique = (text: string): Set<string> => new Set(text.split(""));
const tally = (text: string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const c of text) counts.set(c, (counts.get(c) ?? 0) + 1);
  return counts;
};
const lettersOf = (text: string): { readonly all: Set<string> } => {
  const all = unique(text);
  all.add("end");
  return { all };
};
const listOf = (text: string): string[] => { const list: string[] = []; for (const c of text) list.push(c); return list; };
`;

/** Common parts of functions, taken from real ones. */
export const everydayTopics: readonly Topic[] = [
  {
    about: "orders that contradict themselves",
    inputs: {
      xs: arrayOf(oneOf("number", Number.NaN, Number.NaN, 1, 2, 3, -0, 0, Infinity), 300),
      n: counts,
    },
    cases: [
      "xs.toSorted((a, b) => a - b)",
      "xs.map((x, at) => ({ x, at })).sort((a, b) => b.x - a.x).map((p) => p.at)",
      "xs.map((x, at) => ({ x, at: at % 7 })).toSorted((a, b) => a.x - b.x || b.at - a.at).map((p) => p.at)",
      "xs.map((_, at) => (at * 7919) % 31).toSorted((a, b) => (a > b ? 1 : -1))",
      "xs.map((_, at) => (at * 7919) % 31).toSorted((a, b) => (a < b ? 1 : 0))",
      "xs.map((_, at) => at).toSorted((a, b) => ((a * 7 + b * 13) % 5) - 2)",
      "const list = [...xs];\nlist.sort((a, b) => b - a);\nreturn { list };",
      "const list = [...xs];\nreturn { out: list.sort((a, b) => a - b), list };",
      "Float64Array.from(xs).sort()",
      "Float64Array.from(xs).toSorted((a, b) => b - a)",
      "Float32Array.from(xs).toReversed().with(0, n)",
      "Int32Array.from(xs).sort().reverse()",
      "Int32Array.from(xs).toSorted((a, b) => b - a)",
    ],
  },
  {
    about: "counting near the end of what doubles hold",
    inputs: { n: counts, s: texts },
    cases: [
      "let out = Number.MAX_SAFE_INTEGER;\nfor (let i = 0; i < n; i++) out++;\nreturn { out };",
      "let out = -9007199254740989;\nfor (let i = 0; i < n; i++) out -= 1;\nreturn { out };",
      "const o = { n: Number.MAX_SAFE_INTEGER };\nfor (let i = 0; i < n; i++) o.n++;\nreturn { out: o.n };",
      "let out = 0;\nfor (let i = 0; i < 150000; i++) out += 68719476735;\nreturn { out: out + n };",
      "let i = 0;\nconst out: string[] = [];\nwhile (i < s.length) {\n  let end = i + 1;\n  while (end < s.length && s[end] !== ' ') end++;\n  out.push(s.slice(i, end));\n  i = end;\n}\nreturn { out };",
    ],
  },
  {
    about: "maps and sets that calls return",
    inputs: { s: texts },
    preamble: collections,
    cases: [
      "const out: string[] = [];\nfor (const c of unique(s)) out.push(c);\nreturn { out };",
      "const out: string[] = [];\nfor (const [c, n] of tally(s)) out.push(c + n);\nfor (const [c, n] of tally(s).entries()) out.push(n + c);\nfor (const c of tally(s).keys()) out.push(c);\nreturn { out };",
      "const seen = new Set<string>();\nfor (const [c] of tally(s)) {\n  if (seen.has(c)) continue;\n  seen.add(c);\n  const other = tally(c);\n  other.set('x', 1);\n}\nreturn { out: [...seen] };",
      "const out: string[] = [];\nfor (const c of lettersOf(s).all) {\n  const inner = lettersOf(c);\n  inner.all.add('more');\n  out.push(...inner.all);\n}\nreturn { out };",
      "const out: number[] = [];\ntally(s).forEach((n) => out.push(n));\nreturn { out };",
      "const [a, b] = [listOf(s), listOf('abc')];\nfor (let i = 0; i < a.length; i++) b.push(a[i] ?? '');\nreturn { a, b };",
      "[...tally(s).entries()].length + Math.max(...tally(s).values(), 0)",
    ],
  },
  {
    about: "powers of integers",
    inputs: { n: counts, x: anyNumbers, i: integers, b: bigints },
    cases: [
      "x ** 2",
      "Math.pow(x - 1, 2)",
      "[10 ** n, 2 ** n, 2 ** (n * 50), 3 ** n]",
      "[n, x].map((v, at) => at ** 3 + v)",
      "let out = 0;\nfor (const c of ['a', 'b']) out += c.length ** 2;\nreturn { out };",
      "[b ** 3n, 2n ** BigInt(n), (-3n) ** BigInt(n)]",
      "Math.round(x * 10 ** 2) / 10 ** 2",
    ],
  },
  {
    about: "numbers as texts",
    inputs: { x: anyNumbers, i: integers, n: counts },
    cases: [
      "[x % 1e9, x / 1e9].map((y) => [y.toString(16), y.toString(2), y.toString(36), y.toString(3)])",
      "(x % 1000).toString(n + 2)",
      "(i >>> 0).toString(16).padStart(8, '0')",
      "x.toPrecision(3)",
      "[x.toPrecision(), x.toPrecision(n + 1), x.toExponential(), x.toExponential(n)]",
      "[x.toPrecision(21), x.toExponential(20)]",
      "[Object.is(x, -0), Object.is(x, NaN), Object.is(x, i), Object.is('a', 'b')]",
    ],
  },
  {
    about: "patterns as values",
    inputs: { s: texts, n: counts },
    preamble: rules,
    cases: [
      "for (const [pattern, name] of rules) if (pattern.test(s)) return { out: name };\nreturn { out: 'other' };",
      "rules.find(([pattern]) => pattern.test(s))?.[1] ?? 'other'",
      "[hits(/a/, s), hits(/b$/i, s), first(s, /\\d+/), first(s, /[ab]/)]",
      "[table['a']?.test(s), table['b']?.exec(s)?.[0]]",
      "let out = s;\nfor (const { pattern, by } of edits) out = out.replace(pattern, by);\nreturn { out };",
      "const pattern = n > 5 ? /a/ : /b/;\nreturn { out: s.search(pattern) };",
      "s.replace(/\\B(?=(\\d{3})+(?!\\d))/g, ',')",
      "String(n * 123457).replace(/\\B(?=(\\d{3})+(?!\\d))/g, ',')",
      "s.match(/a/g)?.length ?? 0",
      "const all = s.match(/[ab]/g);\nif (all === null) return { out: 'none' };\nreturn { out: all.length, last: all.at(-1) };",
      "(s + 'AbCd').split(/(?=[A-Z])/)",
      "s.split(/\\s/, 2)",
      "s.split(/[ab]/, n)",
      "/(?:(a)|b)+/.test(s)",
      // The advice in the refusal of `lastIndex`.
      "const out: string[] = [];\nlet at = 0;\nwhile (at < s.length) {\n  const [found] = token.exec(s.slice(at)) ?? [''];\n  out.push(found);\n  at += Math.max(found.length, 1);\n}\nreturn { out };",
      "const [all = '', a = 'none', b] = /(a)?(b)?./.exec(s) ?? [];\nreturn { all, a, b };",
      "const [all, a] = /(a)?(b)?./.exec(s) ?? ['', 'q'];\nreturn { all, a };",
      "const groups: readonly (string | undefined)[] = /(a)?(b)?./.exec(s) ?? ['x'];\nreturn { groups, size: groups.length };",
      "const found: string[] | null = /(\\d)(\\d)?/.exec(s);\nreturn { found, all: found?.join('-') ?? 'none' };",
      "const list = n > 3 ? /(a)?./.exec(s)! : ['one'];\nreturn { out: list, size: list.length };",
      "((xs: readonly string[]) => xs.length)(/(a)?./.exec(s) ?? [])",
      "[...(/(a)?./.exec(s) ?? []), ...(s.match(/a/g) ?? [])]",
      // The advice in the refusal of a back reference.
      "[...s.matchAll(/(\\S) ?(\\S)/g)].filter((m) => m[1]!.toLowerCase() === m[2]!.toLowerCase()).length",
      "new RegExp('^a+$').test(s)",
      "s.replace(new RegExp('\\\\s+', 'g'), '_')",
      "s.match(words) ?? []",
      "[...s.matchAll(new RegExp(String.raw`(\\w)\\s` + '?', 'g'))].map((m) => m[1])",
      "const sign = '/';\nreturn { out: s.split(new RegExp(sign + '|' + WORD)) };",
      "RegExp('a|b', 'iu').exec(s)?.[0] ?? ''",
      "[/straße|k/iu.test(s), /^\\w+$/iu.test(s), s.replace(/[^\\p{L}]+/giu, '-'), s.split(/s/iu)]",
      "s.replace(/\\b(\\w+) \\1\\b/gi, '$1')",
      "/([\"']).*?\\1/iu.exec(s)?.[0] ?? ''",
    ],
  },
  {
    about: "bytes, base64 and percent signs",
    inputs: { s: texts },
    cases: [
      "new TextEncoder().encode(s).length",
      "const encoder = new TextEncoder();\nreturn { out: s };",
      "new TextEncoder().encode(s)",
      "const encoder = new TextEncoder();\nconst decoder = new TextDecoder();\nreturn { out: decoder.decode(encoder.encode(s).slice(1)) };",
      "new TextDecoder().decode(new TextEncoder().encode(s))",
      "new TextDecoder('utf-8').decode(Uint8Array.from(s, (c) => c.charCodeAt(0)))",
      "btoa(s)",
      "atob(s)",
      "atob(btoa(s.slice(0, 2)))",
      "encodeURIComponent(s)",
      "decodeURIComponent(s)",
      "decodeURIComponent('%41' + s)",
      "decodeURIComponent('%E2%82%AC%f0%9f%98%80' + s)",
      ...[
        "decodeURIComponent('%' + s)",
        "decodeURIComponent('%C3' + s)",
        "btoa(s + 'é€')",
        "atob(s)",
        "encodeURIComponent(s)",
      ].map(
        (code) =>
          `try {\n  return { out: ${code} };\n} catch (e) {\n  return { out: e instanceof Error ? \`\${e.name}: \${e.message}\` : "" };\n}`,
      ),
    ],
  },
  {
    about: "what may be missing, as a number or as nothing",
    inputs: {
      s: texts,
      ss: arrayOf(texts),
      a: booleans,
      x: anyNumbers,
      maybe: nullable(anyNumbers),
      m: records({ tags: arrayOf(texts), n: anyNumbers }, ["tags"]),
    },
    cases: [
      "const m2 = /(\\d)x?(\\d)?/.exec(s);\nreturn { out: m2 === null ? [] : [Number(m2[1]), Number(m2[2])] };",
      "[Number(ss[0]), Number(ss[9]), +(ss[1] ?? ''), Number(maybe)]",
      "[+(x === 1), +a, Number(a)]",
      "const out: string[] = [];\nm.tags?.forEach((tag) => out.push(tag));\nreturn { out };",
      "const out: string[] = [];\n[m].at(0)?.tags?.forEach((tag, at) => out.push(tag + at));\nreturn { out };",
      "({ ...(a && { x }), ...(s && { s }), ...(x > 1 ? { y: 1 } : {}) })",
      "const list: Record<string, number> = Object.create(null);\nlist[`k${s}`] = x;\nreturn { out: list };",
    ],
  },
  {
    about: "arrays and bigints of all sorts",
    inputs: { xs: arrayOf(anyNumbers), x: anyNumbers, i: places, n: counts, b: bigints, s: texts },
    preamble:
      "const total = (xs: ArrayLike<number>): number => {\n  let sum = 0;\n  for (let i = 0; i < xs.length; i++) sum += xs[i] ?? 0;\n  return sum;\n};\nconst joined = (xs: readonly number[]): string => xs.join();\n",
    cases: [
      "xs.with(0, x)",
      "const seen = new Set<number>();\nreturn { out: xs.filter((y) => !seen.has(y) && seen.add(y)), size: seen.size };",
      "const seen = new Set<number>();\nreturn { out: [{ id: x }, { id: n }, { id: x }].filter(({ id }) => !seen.has(id) && seen.add(id)), size: seen.size };",
      "const list = [...xs];\nconst made = list.reverse() && n;\nif (list.fill(x, 1, 2)) list.push(n);\nwhile (list.length > 3 && list.splice(0, 1)) list.push(...list.splice(0, 2).slice(1));\nreturn { list, made, not: !list.splice(0, 1) };",
      "const check = (): { n: number } => {\n  if (n > 5) throw new Error('too many');\n  return { n };\n};\nif (check()) return { out: 1 };\nreturn { out: 2 };",
      "const m = /(\\d+)\\D+(\\d+)?/.exec(s);\nif (!m) return { out: [] };\nconst [, y, z] = m.map(Number);\nreturn { out: [y, z], text: m.slice(1).join('-') };",
      "xs.with(i, x)",
      "[Float64Array.of(x, 2), Uint8Array.of(1, 300), BigInt64Array.of(b)]",
      "[Int8Array.of(x, 200), Uint8ClampedArray.of(x, 1.5), Int16Array.of(x, 4e4), Uint16Array.of(x, -1), Int32Array.of(x), Uint32Array.of(x, -1), Float32Array.of(x, 0.1), BigUint64Array.of(b)]",
      "BigInt64Array.from({ length: n }, (_, at) => BigInt(at) * b)",
      "Float32Array.from({ length: n }, (_, at) => at / 3)",
      "const out = [...xs];\nout.fill(x, 1, 3);\nreturn { out };",
      "const list = [...xs];\nreturn { out: list.fill(x, i), list };",
      "new Float32Array(4).fill(x, 1, 2)",
      "const out = new Array<number>(n);\nfor (let at = 0; at < n; at++) out[at] = at * x;\nreturn { out, size: out.length };",
      "const out = new Array<number>(x < 0 ? x : n);\nreturn { out: out.length };",
      "new Array(n).fill(x)",
      "const path = [...xs];\nreturn { out: joined(path.reverse()), path };",
      "[total(xs), total(Float32Array.from(xs))]",
      "[b < 5, b >= 1.5, 3 < b, b < x, x <= b]",
      "const tokens = s.split(' ');\nconst p = { at: 0 };\nconst out = [tokens[p.at++], tokens[p.at++], p.at, ++p.at];\nreturn { out };",
      "let count = 0;\nconst out = (count++, count + n);\nreturn { out };",
      "const list = [{ a: 1, b: [x] }];\nconst copy = structuredClone(list);\ncopy[0]?.b.push(1);\nreturn { list, copy };",
      "[s.replace('a', (c) => `<${c}>`), s.replaceAll('a', (c) => c.toUpperCase()), s.replaceAll('', () => '-')]",
      "s.replaceAll(' ', (_, at: number) => `[${at}]`)",
      "if (n > 8) throw new RangeError('no', { cause: s });\nreturn { out: 1 };",
    ],
  },
];
