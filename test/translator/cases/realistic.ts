import type { Topic } from "../topic.ts";
import { arrayOf, anyNumbers, counts, oneOf } from "../typed-inputs.ts";
import { isoCode, mask, prose, scores, span, spokenWords, table, tokenIds } from "./prose.ts";

/** Typical small functions for pre- and postprocessing. */
export const realisticTopics: readonly Topic[] = [
  {
    about: "clean html",
    inputs: { text: prose },
    preamble:
      'const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: \'"\', nbsp: " " };',
    cases: [
      'return { text: text.replace(/<[^>]+>/g, " ").replace(/&(#?\\w+);/g, (all, name: string) => ENTITIES[name] ?? all).replace(/\\s+/g, " ").trim() };',
    ],
  },
  {
    about: "clean html map",
    inputs: { text: prose },
    preamble: 'const ENTITIES = new Map([["amp", "&"], ["lt", "<"]]);',
    cases: [
      'return { text: text.replace(/&(#?)(\\w+);/g, (all, hash, name) => (hash === "" ? ENTITIES.get(name) ?? all : String.fromCodePoint(Number(name) || 65))) };',
    ],
  },
  {
    about: "prompt template",
    inputs: { question: prose, context: spokenWords },
    preamble:
      'const SYSTEM = "You are a helpful assistant.";\nfunction fill(template: string, values: Record<string, string>): string {\n  return template.replace(/\\{(\\w+)\\}/g, (_, key: string) => (Object.hasOwn(values, key) ? values[key]! : ""));\n}',
    cases: [
      'const lines = context.map((c, i) => `[${i + 1}] ${c.trim()}`);\nreturn { prompt: fill("{system}\\n\\n{context}\\n\\nQ: {question}\\nA:", { system: SYSTEM, context: lines.join("\\n"), question }) };',
    ],
  },
  {
    about: "chunk overlap",
    inputs: { text: prose, size: counts, overlap: counts },
    preamble:
      "interface Chunk { readonly start: number; readonly end: number; readonly text: string }\nfunction chunk(text: string, size = 200, overlap = 20): Chunk[] {\n  const chunks: Chunk[] = [];\n  const step = Math.max(1, size - overlap);\n  for (let start = 0; start < text.length; start += step) {\n    const end = Math.min(start + size, text.length);\n    chunks.push({ start, end, text: text.slice(start, end) });\n    if (end === text.length) break;\n  }\n  return chunks;\n}",
    cases: [
      "const made = chunk(text, size + 1, overlap);\nreturn { chunks: made, few: chunk(text).length };",
    ],
  },
  {
    about: "chunk words",
    inputs: { text: prose },
    cases: [
      'const words = text.split(/\\s+/).filter(Boolean);\nconst out: string[] = [];\nfor (let i = 0; i < words.length; i += 3) out.push(words.slice(i, i + 5).join(" "));\nreturn { out };',
    ],
  },
  {
    about: "top k",
    inputs: { scores, k: counts },
    preamble: 'const LABELS = ["a", "b", "c", "d", "e", "f", "g"] as const;',
    cases: [
      "const ranked = Array.from(scores, (score, i) => ({ label: LABELS[i] ?? `#${i}`, score }))\n  .sort((a, b) => b.score - a.score)\n  .slice(0, k);\nreturn { out: JSON.stringify(ranked) };",
      "const ranked = [...scores].map((s, i) => [s, i] as const).sort(([a], [b]) => b - a);\nreturn { labels: ranked.slice(0, k).map(([, i]) => LABELS[i]), best: ranked[0]?.[0] ?? null };",
      "const order = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!);\nreturn { order: order.slice(0, k) };",
    ],
  },
  {
    about: "argmax",
    inputs: { scores },
    cases: [
      "let best = 0;\nfor (let i = 1; i < scores.length; i++) if (scores[i]! > scores[best]!) best = i;\nreturn { best };",
      "return { best: scores.indexOf(Math.max(...scores)) };",
      "return { best: scores.reduce((best, s, i, all) => (s > all[best]! ? i : best), 0) };",
      "return { best: scores.reduce((best, s, i) => (s > scores[best]! ? i : best), 0) };",
    ],
  },
  {
    about: "normalise",
    inputs: { scores },
    cases: [
      "const sum = scores.reduce((a, b) => a + b, 0);\nreturn { out: scores.map((s) => s / sum) };",
      "let norm = 0;\nfor (const s of scores) norm += s * s;\nnorm = Math.sqrt(norm) || 1;\nconst out = new Float32Array(scores.length);\nscores.forEach((s, i) => { out[i] = s / norm; });\nreturn { out };",
      "const out = new Float32Array(scores);\nfor (let i = 0; i < out.length; i++) out[i]! /= 2;\nreturn { out };",
      "const out = Float32Array.from(scores, (s) => s * 2);\nreturn { out };",
    ],
  },
  {
    about: "bio spans",
    inputs: {
      tags: arrayOf(oneOf("string", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"), 9),
      tokens: spokenWords,
    },
    preamble: "interface Entity { type: string; text: string; start: number; end: number }",
    cases: [
      'const entities: Entity[] = [];\nlet current: Entity | null = null;\ntags.forEach((tag, i) => {\n  const [prefix, type] = tag.split("-");\n  if (prefix === "B" || (prefix === "I" && current?.type !== type)) {\n    current = { type: type!, text: tokens[i] ?? "", start: i, end: i + 1 };\n    entities.push(current);\n  } else if (prefix === "I" && current !== null) {\n    current.text += ` ${tokens[i] ?? ""}`;\n    current.end = i + 1;\n  } else current = null;\n});\nreturn { entities };',
      'const entities: Entity[] = [];\nlet current: Entity | undefined;\nfor (const [i, tag] of tags.entries()) {\n  const [prefix, type = ""] = tag.split("-");\n  if (prefix === "O") {\n    current = undefined;\n    continue;\n  }\n  if (current === undefined || prefix === "B" || current.type !== type) {\n    current = { type, text: tokens[i] ?? "", start: i, end: i + 1 };\n    entities.push(current);\n    continue;\n  }\n  current.text += ` ${tokens[i] ?? ""}`;\n  current.end = i + 1;\n}\nreturn { entities };',
    ],
  },
  {
    about: "merge spans",
    inputs: { spans: arrayOf(span) },
    preamble: "interface Span { start: number; end: number; label: string; score: number }",
    cases: [
      "const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);\nconst merged: Span[] = [];\nfor (const span of sorted) {\n  const last = merged.at(-1);\n  if (last && span.start <= last.end && span.label === last.label) {\n    last.end = Math.max(last.end, span.end);\n    last.score = Math.max(last.score, span.score);\n  } else merged.push({ ...span });\n}\nreturn { merged };",
      "const kept = spans.filter((a, i) => !spans.some((b, j) => j !== i && b.start <= a.start && b.end >= a.end && b.score > a.score));\nreturn { kept };",
      "const groups = spans.reduce<Record<string, Span[]>>((acc, s) => {\n  (acc[s.label] ??= []).push(s);\n  return acc;\n}, {});\nreturn { groups };",
      "const groups = new Map<string, Span[]>();\nfor (const s of spans) {\n  const list = groups.get(s.label);\n  if (list) list.push(s);\n  else groups.set(s.label, [s]);\n}\nreturn { groups: Object.fromEntries([...groups].map(([label, list]) => [label, list.length])) };",
      "const groups = new Map<string, number[]>();\nfor (const { label, score } of spans) {\n  if (!groups.has(label)) groups.set(label, []);\n  groups.get(label)!.push(score);\n}\nreturn { groups: [...groups.entries()].map(([label, list]) => ({ label, mean: list.reduce((a, b) => a + b, 0) / list.length })) };",
    ],
  },
  {
    about: "offsets",
    inputs: { text: prose },
    cases: [
      "const offsets: { word: string; start: number; end: number }[] = [];\nconst pattern = /[\\p{L}\\p{N}]+/gu;\nlet m: RegExpExecArray | null;\nwhile ((m = pattern.exec(text)) !== null) offsets.push({ word: m[0], start: m.index, end: m.index + m[0].length });\nreturn { offsets };",
      "const re = /\\w+/g;\nlet m;\nconst out: string[] = [];\nwhile ((m = re.exec(text))) {\n  out.push(m[0]);\n}\nreturn { out };",
      'let pos = 0;\nconst out = text.split(" ").map((w) => {\n  const start = text.indexOf(w, pos);\n  pos = start + w.length;\n  return [start, pos];\n});\nreturn { out };',
    ],
  },
  {
    about: "language routing",
    inputs: { lang: isoCode, text: prose },
    preamble:
      'const ROUTES: Record<string, bigint> = { en: 128022n, de: 128020n };\nconst ROUTE = { en: 1, de: 2 } as const;\ntype Lang = keyof typeof ROUTE;\nconst isLang = (x: string): x is Lang => x in ROUTE;\nenum Model { Small = "small", Large = "large" }\nconst enum Size { S, M, L }',
    cases: [
      "const code = lang.split(/[-_]/)[0]!.toLowerCase();\nreturn { id: ROUTES[code] ?? 0n };",
      "return { id: isLang(lang) ? ROUTE[lang] : -1 };",
      "return { id: Object.hasOwn(ROUTES, lang) ? ROUTES[lang]! : 0n };",
      "const model = text.length > 20 ? Model.Large : Model.Small;\nreturn { model, same: model === Model.Large };",
      "return { s: text.length > 5 ? Size.L : Size.S };",
      'switch (lang) {\n  case "en":\n  case "EN":\n    return { out: 1 };\n  case "de":\n    return { out: 2 };\n  default:\n    return { out: 0 };\n}',
      'let score = 0;\nswitch (lang) {\n  case "en":\n    score += 1;\n  case "de":\n    score += 10;\n    break;\n  case "xx":\n    if (text === "") break;\n    score = 5;\n    break;\n  default:\n    score = -1;\n}\nreturn { score };',
    ],
  },
  {
    about: "thresholds",
    inputs: { scores },
    preamble:
      "const THRESHOLDS = { toxic: 0.5, spam: 0.8, ok: 0.1 };\nconst NAMES = Object.keys(THRESHOLDS) as (keyof typeof THRESHOLDS)[];",
    cases: [
      "const out: Record<string, boolean> = {};\nfor (const [i, name] of NAMES.entries()) out[name] = (scores[i] ?? 0) >= THRESHOLDS[name];\nreturn { out };",
      "const out: string[] = [];\nfor (const name in THRESHOLDS) out.push(name);\nreturn { out };",
      "return { flags: Object.entries(THRESHOLDS).filter(([, t], i) => scores[i]! >= t).map(([name]) => name) };",
      "return { out: Object.fromEntries(NAMES.map((name, i) => [name, (scores[i] ?? 0) >= THRESHOLDS[name]])) };",
    ],
  },
  {
    about: "log line",
    inputs: { text: prose, n: counts, x: anyNumbers },
    cases: [
      'return { line: `[${String(n).padStart(4, "0")}] ${text.length > 30 ? `${text.slice(0, 27)}...` : text} (${x.toFixed(2)}ms)` };',
    ],
  },
  {
    about: "dedupe",
    inputs: { list: spokenWords, spans: arrayOf(span) },
    cases: [
      "return { out: [...new Set(list.map((w) => w.toLowerCase()))] };",
      "const seen = new Map<string, number>();\nfor (const w of list) seen.set(w, (seen.get(w) ?? 0) + 1);\nreturn { out: [...seen].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)) };",
      "const seen = new Set<string>();\nreturn { out: list.filter((w) => {\n  if (seen.has(w)) return false;\n  seen.add(w);\n  return true;\n}) };",
      "return { out: list.filter((w, i) => list.indexOf(w) === i) };",
      "return { out: list.filter((w, i, all) => all.indexOf(w) === i) };",
      "const best = new Map(spans.map((s) => [s.label, s]));\nreturn { out: [...best.values()] };",
      "const counts: Record<string, number> = {};\nfor (const w of list) counts[w] = (counts[w] || 0) + 1;\nreturn { counts };",
      "const counts: { [word: string]: number } = {};\nlist.forEach((w) => {\n  counts[w] ??= 0;\n  counts[w]++;\n});\nreturn { counts };",
    ],
  },
  {
    about: "sliding windows",
    inputs: { xs: arrayOf(anyNumbers), n: counts },
    cases: [
      "const windows = Array.from({ length: Math.max(0, xs.length - n + 1) }, (_, i) => xs.slice(i, i + n));\nreturn { windows };",
      "return { means: xs.map((_, i) => { const w = xs.slice(Math.max(0, i - 2), i + 1); return w.reduce((a, b) => a + b) / w.length; }) };",
      "let sum = 0;\nconst out = [];\nfor (let i = 0, j = 0; i < xs.length; i++) {\n  sum += xs[i]!;\n  while (i - j >= 3) sum -= xs[j++]!;\n  out.push(sum);\n}\nreturn { out };",
    ],
  },
  {
    about: "mean pooling",
    inputs: { hidden: table, mask },
    cases: [
      "const [seq = 0, dim = 0] = hidden.shape;\nconst out = new Float32Array(dim);\nlet count = 0;\nfor (let t = 0; t < seq; t++) {\n  if (!mask[t]) continue;\n  count++;\n  for (let d = 0; d < dim; d++) out[d]! += hidden.data[t * dim + d]!;\n}\nfor (let d = 0; d < dim; d++) out[d]! /= Math.max(count, 1);\nreturn { out };",
      "const [seq, dim] = hidden.shape as [number, number];\nconst rows = Array.from({ length: seq }, (_, t) => hidden.data.subarray(t * dim, (t + 1) * dim));\nreturn { out: rows.map((r) => r.reduce((a, b) => a + b, 0)) };",
      "const dim = hidden.shape.at(-1)!;\nconst rows: number[][] = [];\nfor (let i = 0; i < hidden.data.length; i += dim) rows.push([...hidden.data.slice(i, i + dim)]);\nreturn { rows: rows.length };",
    ],
  },
  {
    about: "padding ids",
    inputs: { ids: tokenIds },
    preamble: "const PAD = 1n;\nconst MAX = 6;",
    cases: [
      "const out = new BigInt64Array(MAX).fill(PAD);\nout.set(ids.slice(0, MAX));\nreturn { out };",
      "const out = Array.from(ids).filter((id) => id !== PAD).map(Number);\nreturn { out };",
      "const mask = BigInt64Array.from(ids, (id) => (id === PAD ? 0n : 1n));\nreturn { mask };",
      "return { out: ids.findIndex((id) => id === 2n), any: ids.some((id) => id > 30n), has: ids.includes(5n) };",
      "const end = ids.indexOf(2n);\nreturn { out: end < 0 ? ids : ids.subarray(0, end) };",
    ],
  },
  {
    about: "iso tables",
    inputs: { lang: isoCode },
    preamble:
      'const ISO: Readonly<Record<string, { name: string; iso3: string }>> = { en: { name: "English", iso3: "eng" }, de: { name: "German", iso3: "deu" } };\nconst ISO3 = new Map(Object.entries(ISO).map(([k, v]) => [v.iso3, k] as const));\nconst [FIRST] = Object.keys(ISO);',
    cases: [
      'return { name: ISO[lang]?.name ?? "unknown" };',
      "return { code: ISO3.get(lang) ?? lang };",
      "const info = Object.entries(ISO).find(([code]) => code === lang)?.[1];\nreturn { out: info?.iso3 ?? null };",
    ],
  },
  {
    about: "tagged unions",
    inputs: { n: counts, text: prose, x: anyNumbers },
    preamble:
      'type Shape = { kind: "circle"; r: number } | { kind: "rect"; w: number; h: number } | { kind: "none" };\nconst area = (s: Shape): number => {\n  switch (s.kind) {\n    case "circle":\n      return 3 * s.r * s.r;\n    case "rect":\n      return s.w * s.h;\n    case "none":\n      return 0;\n    default: {\n      const never: never = s;\n      return never;\n    }\n  }\n};\ntype Token = { type: "word"; text: string } | { type: "number"; value: number };\nconst tokenize = (s: string): Token[] => s.split(" ").map((t): Token => (/^\\d+$/.test(t) ? { type: "number", value: Number(t) } : { type: "word", text: t }));\ntype Result = { ok: true; value: number } | { ok: false; error: string };\nfunction parse(s: string): Result {\n  const value = Number(s);\n  return Number.isNaN(value) ? { ok: false, error: `bad ${s}` } : { ok: true, value };\n}',
    cases: [
      'const shapes: Shape[] = [{ kind: "circle", r: n }, { kind: "rect", w: n, h: x }, { kind: "none" }];\nreturn { out: shapes.map(area) };',
      'return { out: tokenize(text).map((t) => (t.type === "word" ? t.text.length : t.value)) };',
      "const r = parse(text);\nif (!r.ok) return { out: r.error };\nreturn { out: String(r.value) };",
    ],
  },
  {
    about: "recursion",
    inputs: { n: counts, text: prose },
    preamble:
      "interface Node { readonly name: string; readonly children: Node[] }\nconst depth = (node: Node): number => 1 + Math.max(0, ...node.children.map(depth));\nfunction build(n: number): Node { return { name: `n${n}`, children: n <= 0 ? [] : [build(n - 1), build(n - 3)] }; }\nconst flatten = (node: Node): string[] => [node.name, ...node.children.flatMap(flatten)];\ntype Json = string | number | Json[];",
    cases: [
      "return { out: depth(build(n % 5)) };",
      "return { out: flatten(build(n % 4)) };",
      "const fact = (k: number): number => (k <= 1 ? 1 : k * fact(k - 1));\nreturn { out: fact(n) };",
      'function permutations(xs: string[]): string[][] {\n  if (xs.length <= 1) return [xs];\n  return xs.flatMap((x, i) => permutations([...xs.slice(0, i), ...xs.slice(i + 1)]).map((rest) => [x, ...rest]));\n}\nreturn { out: permutations(text.split(" ").slice(0, 3)) };',
    ],
  },
  {
    about: "text helpers",
    inputs: { text: prose, list: spokenWords, n: counts },
    preamble:
      'const STOP = new Set(["the", "a"]);\nconst capitalise = (s: string): string => (s ? s[0]!.toUpperCase() + s.slice(1) : s);\nconst truncate = (s: string, max: number): string => (s.length <= max ? s : s.slice(0, max - 1) + "…");\nconst escapeHtml = (s: string) => s.replace(/[&<>"\']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", \'"\': "&quot;", "\'": "&#39;" })[c]!);\nconst REPLACEMENTS: [RegExp, string][] = [[/\\s+/g, " "], [/[“”]/g, \'"\']];\nconst SMART: readonly (readonly [string, string])[] = [["“", \'"\'], ["…", "..."]];',
    cases: [
      "return { out: text.toLowerCase().split(/\\W+/).filter((w) => w && !STOP.has(w)) };",
      'return { out: list.map(capitalise).join(" "), t: truncate(text, n) };',
      "return { out: escapeHtml(text) };",
      "let out = text;\nfor (const [from, to] of SMART) out = out.replaceAll(from, to);\nreturn { out };",
      "const sentences = text.match(/[^.!?]+[.!?]*/g) ?? [];\nreturn { out: sentences.map((s) => s.trim()) };",
      'return { out: text.normalize("NFD").replace(/[\\u0300-\\u036f]/g, "") };',
      'return { out: text.replace(/https?:\\/\\/\\S+/g, "<url>").replace(/\\S+@\\S+/g, "<email>").replace(/\\d+/g, "<num>") };',
      'return { out: text.split("\\n").map((l) => l.trimEnd()).join("\\n") };',
      "const count = (text.match(/\\w+/g) || []).length;\nreturn { count };",
      'const m = /^(\\w+)\\s+(?<rest>.*)$/s.exec(text);\nreturn { head: m?.[1] ?? "", rest: m?.groups?.rest ?? "" };',
      "const m = text.match(/(\\d+)\\.(\\d+)/);\nif (m) {\n  const [, whole, part] = m;\n  return { out: `${whole},${part}` };\n}\nreturn { out: null };",
      'return { out: [...text].reverse().join(""), chars: [...text].length };',
      'const isUpper = (c: string) => c >= "A" && c <= "Z";\nreturn { share: [...text].filter(isUpper).length / (text.length || 1) };',
      'return { out: text.trim().split(" ").at(-1), c: text.codePointAt(0) ?? -1, w: text.split(" ", 2) };',
      "return { out: text.replace(/(\\w)(\\w*)/g, (_, a: string, b: string) => a.toUpperCase() + b.toLowerCase()) };",
      'const sep = n > 5 ? " " : ", ";\nreturn { out: text.split(sep), i: text.indexOf("a", n), s: text.startsWith("t", 1) };',
      'return { out: text.replace(list[0] ?? "x", "y") };',
      'const words = text.split(" ");\nlet line = "";\nconst lines: string[] = [];\nfor (const w of words) {\n  if ((line + " " + w).trim().length > 20) {\n    lines.push(line);\n    line = w;\n  } else line = `${line} ${w}`.trim();\n}\nif (line) lines.push(line);\nreturn { lines };',
    ],
  },
  {
    about: "numbers",
    inputs: { xs: arrayOf(anyNumbers), n: counts, x: anyNumbers },
    preamble:
      "const clamp = (v: number, lo = 0, hi = 1): number => Math.min(Math.max(v, lo), hi);\nconst round = (v: number, digits = 2): number => Number(v.toFixed(digits));\nconst mean = (v: readonly number[]): number => (v.length ? v.reduce((a, b) => a + b, 0) / v.length : 0);\nconst median = (v: readonly number[]): number => {\n  const s = [...v].sort((a, b) => a - b);\n  const mid = Math.floor(s.length / 2);\n  return s.length % 2 ? s[mid]! : (s[mid - 1]! + s[mid]!) / 2;\n};\nconst dot = (a: readonly number[], b: readonly number[]): number => a.reduce((s, v, i) => s + v * b[i]!, 0);",
    cases: [
      "return { out: xs.map((v) => clamp(v)), r: round(x) };",
      "return { mean: mean(xs), median: xs.length > 0 ? median(xs) : 0 };",
      "return { dot: dot(xs, xs), cos: dot(xs, xs) / (Math.sqrt(dot(xs, xs)) * Math.sqrt(dot(xs, xs)) || 1) };",
      'return { out: Number.parseFloat("1.5") + Number.parseInt("7", 10), e: Number.EPSILON, m: Number.MAX_SAFE_INTEGER };',
      "return { out: Math.max(...xs.map(Math.abs), 0), b: n % 2 === 0 };",
      "return { p: [...xs].sort((a, b) => a - b)[Math.ceil(0.95 * xs.length) - 1] ?? 0 };",
      'const minutes = Math.floor(n / 60);\nreturn { t: `${minutes}:${String(n % 60).padStart(2, "0")}` };',
    ],
  },
];
