import type { Topic } from "../topic.ts";
import { anyNumbers, arrayOf, counts, nullable, records, texts } from "../typed-inputs.ts";

const doc = records(
  { name: texts, tags: nullable(arrayOf(texts)), age: nullable(anyNumbers), at: records({ x: anyNumbers }) },
  ["tags", "age", "at"],
);

export const looseTopics: readonly Topic[] = [
  {
    about: "records that are not exactly as their type says",
    inputs: { x: anyNumbers, s: texts, n: counts, p: arrayOf(anyNumbers) },
    preamble: `
interface Box { x: number; y: number; w?: number; h?: number }
interface Token { text: string; kind?: string }
interface Both { a: number; b: string }
const begun = (): Both => { const both = {} as Both; both.a = 1; return both; };
`,
    cases: [
      "const corners = { x, y: n, x2: 1, y2: 2 };\nconst boxes: Box[] = [corners];\nreturn { out: JSON.stringify(boxes) };",
      "const tokens: Token[] = [];\nfor (const w of s.split('a')) {\n  if (/^\\d+$/.test(w)) tokens.push({ text: w, kind: 'number' });\n  else tokens.push({ text: w });\n}\nreturn { out: JSON.stringify(tokens) };",
      "const both = begun();\nreturn { out: both.b === undefined ? 'none' : both.b };",
    ],
  },
  {
    about: "groups that did not match, with types that lack undefined",
    inputs: { s: texts },
    preamble: "",
    cases: [
      "s.replace(/(\\d)|([a-z])/g, (_, d: string, l: string) => `${d ?? 'none'}<${l ?? 'none'}>`)",
      "const parts = /(a)|(b)/.exec(s) ?? [];\nreturn { out: [...parts].map((one) => one ?? '-') };",
      "const parts: string[] = s.match(/(\\d)|([a-z])/) ?? [];\nreturn { out: parts.map((one) => one ?? '-') };",
    ],
  },
  {
    about: "functions that are called with more or fewer arguments than they take",
    inputs: { x: anyNumbers, n: counts, xs: arrayOf(anyNumbers) },
    preamble: `
type Binary = (a: number, b: number) => number;
function none(): number { return 7; }
const one = (a: number): number => a + 1;
const more = (a: number, b?: number): number => (b === undefined ? a : a - b);
const call = (f: Binary, a: number): number => f(a, 2);
const table: Record<string, Binary> = { none, one, add: (a, b) => a + b };
interface Api { f(a: number, b?: number): number }
const api: Api = { f: (a: number, b: number | undefined) => (b === undefined ? a : a - b) };
`,
    cases: [
      "const v = xs[9]!;\nconst large = xs.map((each) => each > 1)[n + 9]!;\nreturn { out: [Number(v), Number(large)] };",
      "[call(none, x), call(one, x), call(more, x), call((...all) => all.length, x)]",
      "[none, one, more, () => 1, (a: number) => a].map((f: Binary) => f(x, n))",
      "['none', 'one', 'add'].map((k) => table[k]!(x, n))",
      "[api.f(x), api.f(x, n)]",
      "[xs.reduce(one, 0), xs.reduce((sum) => sum + 1, 0), [...xs].sort(none).length]",
    ],
  },
  {
    about: "what the engine throws",
    inputs: { doc, x: anyNumbers, s: texts, n: counts, xs: arrayOf(anyNumbers) },
    preamble: `
interface Doc { name: string; tags?: string[] | null; age?: number | null; at?: { x: number } }
const kept: Record<string, (x: number) => number> = { up: (x) => x + 1 };
`,
    cases: [
      "try {\n  return { out: doc.at!.x };\n} catch {\n  return { out: 'unknown' };\n}",
      "try {\n  return { out: [doc.tags!.length, doc.age!.toFixed(1), doc.tags![n]!.trim()] };\n} catch (e) {\n  return { out: e instanceof TypeError ? 'type' : 'other' };\n}",
      "try {\n  return { out: [...doc.tags!].join() };\n} catch (e) {\n  return { out: (e as Error).name };\n}",
      "try {\n  return { out: kept[s]!(x) };\n} catch (e) {\n  return { out: e instanceof Error ? e.name : '' };\n}",
      "const out: string[] = [];\ntry {\n  try {\n    out.push(doc.tags![n]!.toUpperCase());\n  } finally {\n    out.push('finally');\n  }\n} catch (e) {\n  out.push((e as Error).name);\n}\nreturn { out };",
      "try {\n  return { out: xs.reduce((a, b) => a + b) };\n} catch (e) {\n  return { out: (e as Error).message };\n}",
      "try {\n  return { out: s.repeat(x) };\n} catch (e) {\n  return { out: e instanceof RangeError ? e.message : 'no' };\n}",
      "const later: (() => string)[] = [];\ntry {\n  if (n > 3) throw new Error(s);\n} catch (e) {\n  later.push(() => (e as Error).message);\n}\nreturn { out: later.map((f) => f()) };",
      "try {\n  return { out: new Set(doc.tags!).size };\n} catch {\n  return { out: 'never' };\n}",
    ],
  },
];
