import type { Topic } from "../topic.ts";
import { anyNumbers, arrayOf, bigints, booleans, counts, places, texts, wholes } from "../typed-inputs.ts";

/** Cases for rows of the table of built-ins that no other topic covers. */
export const rowTopics: readonly Topic[] = [
  {
    about: "readers of typed arrays",
    inputs: {
      ids: wholes("Int32Array", (values) => Int32Array.from(values)),
      x: anyNumbers,
      i: places,
    },
    cases: [
      "ids.at(i)",
      "ids.at(-1) ?? x",
      "ids.includes(x)",
      "ids.includes(3)",
      "ids.indexOf(2)",
      "ids.indexOf(x)",
      "ids.lastIndexOf(2)",
      "ids.join('-')",
      "ids.some((id) => id > 100)",
      "ids.every((id) => id < x)",
      "ids.find((id) => id > 1)",
      "ids.findIndex((id) => id > 1)",
      "ids.findLast((id) => id > 1)",
      "ids.findLastIndex((id) => id < x)",
      "ids.reduce((sum, id) => sum + id, 0)",
      "let out = 0;\nids.forEach((id, at) => {\n  out += id * at;\n});\nreturn { out };",
      "[...ids.keys()]",
      "[...ids.values()]",
      "[...ids.entries()].map(([at, id]) => at * id)",
      "ids.slice(1)",
      "ids.slice(i, 3)",
      "ids.subarray(1, 3)",
      "ids.filter((id) => id > 0)",
      "ids.length",
    ],
  },
  {
    about: "making typed arrays",
    inputs: { xs: arrayOf(anyNumbers), bigs: arrayOf(bigints), n: counts },
    cases: [
      ..."Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array"
        .split(" ")
        .flatMap((name) => [
          `new ${name}(xs)`,
          `${name}.from(xs)`,
          `${name}.from(xs, (x) => x / 2)`,
          `new ${name}(Math.max(n | 0, 0))`,
        ]),
      ..."BigInt64Array BigUint64Array"
        .split(" ")
        .flatMap((name) => [`new ${name}(bigs)`, `${name}.from(bigs)`, `new ${name}(Math.max(n | 0, 0))`]),
    ],
  },
  {
    about: "the other methods of lists, maps and sets",
    inputs: { xs: arrayOf(anyNumbers), x: anyNumbers, i: places },
    cases: [
      "[...xs.keys()]",
      "[...xs.values()]",
      "xs.toString()",
      "const out: number[] = [];\nxs.forEach((y, at) => {\n  if (y > x) out.push(at);\n});\nreturn { out };",
      "const out = new Map([['a', 1], ['b', x]]);\nlet sum = 0;\nout.forEach((value, key) => {\n  sum += value + key.length;\n});\nreturn { out, sum };",
      "const out = new Set(xs);\nlet sum = 0;\nout.forEach((value) => {\n  sum += value;\n});\nreturn { out, sum };",
      "const out: number[] = [];\nxs.map((y) => y + 1).forEach((y, at, all) => {\n  if (at > 0 && y === all[at - 1]) return;\n  out.push(y, all.length);\n});\nreturn { out };",
      "let sum = 0;\nxs.forEach((y, at, all) => {\n  sum += y * (all[at + 1] ?? 1);\n});\nreturn { sum };",
      "const out = new Set(xs);\nout.clear();\nout.add(x);\nreturn { out };",
      "[...new Set(xs).keys()]",
      "[...new Set(xs).values()]",
      "Array.of(x, 1, 2)",
      "Object.freeze([1, 2]).length",
      "const o = Object.freeze({ a: x });\nreturn { out: o.a };",
    ],
  },
  {
    about: "the other texts, truths and errors",
    inputs: { s: texts, yes: booleans, x: anyNumbers },
    cases: [
      "s.toString()",
      "yes.toString()",
      "Number.parseInt(s, 10)",
      "Number.parseInt(s)",
      "/[a-z]+/.exec(s)?.input ?? ''",
      "if (yes) throw Error(s);\nreturn { out: 1 };",
      "if (yes) throw RangeError(`no ${s}`);\nreturn { out: 1 };",
      "if (yes) throw TypeError('no');\nreturn { out: 1 };",
      "if (yes) throw SyntaxError('no');\nreturn { out: 1 };",
      "if (yes) throw new SyntaxError(s);\nreturn { out: 1 };",
    ],
  },
  {
    about: "constants",
    inputs: { x: anyNumbers },
    cases: [
      "Math.E * x",
      "Math.LN2",
      "Math.LN10 + x",
      "Math.LOG2E",
      "Math.LOG10E",
      "x * Math.SQRT2",
      "Math.SQRT1_2",
      "Number.isNaN(x) ? 0 : Number.NaN",
      "x < Number.POSITIVE_INFINITY",
      "x > Number.NEGATIVE_INFINITY",
      "Number.MIN_SAFE_INTEGER + 1",
      "Math.abs(x) < Number.EPSILON",
      "Number.MAX_VALUE > x",
      "Number.MIN_VALUE / 2 + x * 0",
    ],
  },
];
