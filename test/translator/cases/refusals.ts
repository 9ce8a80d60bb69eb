import { functionsOf } from "../topic.ts";
import type { WrittenModule } from "../translate-functions.ts";
import { anyNumbers, arrayOf, dictionaries, texts } from "../typed-inputs.ts";

const inputs = { s: texts, x: anyNumbers, xs: arrayOf(anyNumbers), o: dictionaries(anyNumbers, ["a"]) };

/** What is refused: an expression over `inputs`, its code, and a part of what is said. */
export const refusalCases: readonly (readonly [code: string, refusal: string, says: string])[] = [
  ["x ** 2", "function/inexact-math", "powers differ in the last digit"],
  ["Math.pow(x, 2)", "function/inexact-math", "`x * x`"],
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
  ["xs.with(0, 1)", "function/built-in", "with"],
  ["[...xs].copyWithin(0, 1)", "function/built-in", "copyWithin"],
  ["new Array(3)", "function/array-hole", "Array.from"],
  ...["sort()", "reverse()", "toSorted()", "toReversed()", "with(0, 1)"].map(
    (call) => [`new Float32Array(xs).${call}`, "function/built-in", "rounded again"] as const,
  ),
  ["s == String(x)", "function/loose-equality", "`===`"],
  ["s != 'a'", "function/loose-equality", "`!=="],
  ["(x + 1, x)", "function/syntax", ""],
  ["s.substr(1)", "function/built-in", "slice"],
  ["x.toPrecision(3)", "function/built-in", "toPrecision"],
  ["x.toExponential()", "function/built-in", "toExponential"],
  ...["xs", "new Float32Array(xs)", "new Set(xs)", "new Map([[s, x]])"].map(
    (of) => [`[${of}.forEach((y) => y)]`, "function/effect-in-expression", "forEach"] as const,
  ),
  ["[1, , 2].length", "function/array-hole", "undefined"],
  ["s in { ...o }", "function/inherited-name", "Object.hasOwn"],
  ["o.constructor === o", "function/inherited-name", "another name"],
  ["({ ...o })[s] ??= 1", "function/inherited-name", "a `const` that holds the object"],
  ["structuredClone(xs)", "function/built-in", "{ ...record }"],
  ["console.log(xs)", "function/input-output", "from a test"],
  ["/a/y.test(s)", "function/regexp", "matchAll"],
  ["/(a)+/.exec(s)", "function/regexp", "capturing group inside a repetition"],
  ["/(a)?\\1/.test(s)", "function/regexp", "may hold nothing"],
  ["/a/iu.test(s)", "function/regexp", "`i` and `u` together"],
  ["s.replace(/x*/g, '-')", "function/regexp", ""],
  ["new RegExp(s).test('a')", "function/regexp", ""],
  ["eval(s)", "function/built-in", "eval"],
  ["Symbol('a').toString()", "function/built-in", "Symbol"],
  [
    "const out = { n: 0 };\nconst n = out.n++;\nreturn { out, n };",
    "function/effect-in-expression",
    "statement of its own",
  ],
  [
    "let i = 0;\nconst out = xs.slice(i++, i++);\nreturn { out };",
    "function/effect-in-expression",
    "changes what another one is made of",
  ],
  [
    "let i = 0;\nconst out = [0, 0];\nout[i] = i = 1;\nreturn { out };",
    "function/effect-in-expression",
    "the value changes what its place is made of",
  ],
  ["xs.push(1);\nreturn { out: xs };", "function/mutated-input", "[...list]"],
  [
    "const a = new Float32Array(4);\nconst b = a.subarray(1, 3);\na[1] = 2;\nreturn { out: b[0] };",
    "function/mutated-input",
    "",
  ],
  [
    "const a = new Float32Array(4);\na.subarray(1, 3).fill(1);\nreturn { out: a };",
    "function/mutated-input",
    "",
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
    "a label of something else than a loop",
  ],
  [
    "let out = 0;\nswitch (s) {\n  case 'a':\n    for (const y of xs) out += y;\n    try {\n      if (out > 1) break;\n    } finally {\n      out++;\n    }\n    out = 2;\n}\nreturn { out };",
    "function/syntax",
    "with more to do after it",
  ],
  ["var out = 1;\nreturn { out };", "function/syntax", "var"],
  ["class A {\n  n = 1;\n}\nreturn { out: new A().n };", "function/syntax", ""],
  ["function* g(): Generator<number> {\n  yield 1;\n}\nreturn { out: [...g()] };", "function/syntax", ""],
  ["const out: any = s;\nreturn { out: out + 1 };", "function/any", "any"],
  ["const out: number | string = x > 0 ? x : s;\nreturn { out: out + 1 };", "function/mixed-kinds", ""],
  ["s.replaceAll('a', () => 'b')", "function/built-in", "split"],
  ["const re = /a/g;\nreturn { out: re.exec(s)?.[0] ?? '' };", "function/regexp", "matchAll"],
  ["let out = '';\nfor (const k in xs) out += k;\nreturn { out };", "function/syntax", "entries()"],
  ["new Array(x).fill(0)", "function/built-in", ""],
  ["delete xs[0];\nreturn { out: xs };", "function/mutated-input", ""],
  ["(async () => s)()", "function/async", ""],
];

/** All of them as functions of steps, in their order. */
export const refusedModule: WrittenModule = {
  functions: functionsOf({ about: "refusals", inputs, cases: refusalCases.map(([code]) => code) }, "f"),
  preamble: "let counter = 0;",
};
