import type { Translated } from "@tritype/core";
import { batchStep, bool, bytes, fp16, fp32, int32, int64, optional, step, uint8, type Step } from "tritype";

/** JavaScript behaviour that differs in Python, as far as these functions need it. */
const support = `\
class Undefined:
    def __bool__(self):
        return False


undefined = Undefined()


class Thrown(Exception):
    def __init__(self, message="", name="Error"):
        super().__init__(message)
        self.message, self.name = message, name


def units(text):
    raw = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(raw[i] | raw[i + 1] << 8) for i in range(0, len(raw), 2))


def utf8(text):
    raw = text.encode("utf-16-le", "surrogatepass")
    return raw.decode("utf-16-le", "replace").encode("utf-8")
`;

/** A step with two hand-written translations. */
export interface HandMade {
  readonly step: Step;
  readonly translated: Translated;
}

const handMade = (step: unknown, python: string, javascript: string): HandMade => ({
  step: step as Step,
  translated: {
    imports: [],
    support,
    python,
    entry: "run",
    lines: mapped(python),
    javascript,
    javascriptLines: mapped(javascript),
    files: ["pipeline.ts"],
  },
});

/** Every line is 10 lines further down in pipeline.ts. */
const mapped = (text: string): Translated["lines"] =>
  text
    .trimEnd()
    .split("\n")
    .map((_, index) => ({ line: index + 1, at: { file: "pipeline.ts", line: index + 11, column: 1 } }));

const never = (): never => {
  throw new Error("only its translations run");
};

/** Follows the command in its text: truncates, throws, loops, or returns invalid values. */
export const clean: HandMade = handMade(
  step({
    name: "clean",
    inputs: { text: bytes("batch", 1), limit: optional(int32("batch", 1)) },
    outputs: { text: bytes("batch", 1), length: int32("batch", 1) },
    timeLimit: "300ms",
    run: never,
  }),
  `\
def run(row):
    text = row["text"]
    if text == "throw":
        raise Thrown("no " + text + " \\ud83d\\ude00", "RangeError")
    if text == "empty":
        raise Thrown()
    while text == "loop":
        pass
    if text == "number":
        return {"text": 1.0, "length": 1.0}
    if text == "missing":
        return {"text": text}
    if text == "unset":
        return {"text": undefined, "length": 1.0}
    if text == "extra":
        return {"text": text, "length": 1.0, "tail": text, "none": undefined, "end": 1.0}
    if text == "fraction":
        return {"text": text, "length": 1.5}
    if text == "large":
        return {"text": text, "length": 2147483648.0}
    if text == "nan":
        return {"text": text, "length": float("nan")}
    limit = row["limit"]
    cut = text if limit is undefined else text[: int(limit)]
    return {"text": cut, "length": len(cut)}
`,
  `\
export const run = (row) => {
  const text = row.text;
  if (text === "throw") {
    throw new RangeError("no " + text + " \\u{1f600}"); }
  if (text === "empty") {
    throw new Error(); }
  while (text === "loop") {
  }
  if (text === "number") {
    return { text: 1, length: 1 }; }
  if (text === "missing") {
    return { text }; }
  if (text === "unset") {
    return { text: undefined, length: 1 }; }
  if (text === "extra") {
    return { text, length: 1, tail: text, none: undefined, end: 1 }; }
  if (text === "fraction") {
    return { text, length: 1.5 }; }
  if (text === "large") {
    return { text, length: 2147483648 }; }
  if (text === "nan") {
    return { text, length: NaN }; }
  const limit = row.limit;
  const cut = limit === undefined ? text : text.slice(0, limit);
  return { text: cut, length: cut.length };
};
`,
);

/** Every dtype, unchanged. */
export const scalars: HandMade = handMade(
  step({
    name: "scalars",
    inputs: {
      b: bool("batch"),
      i: int64("batch", 1),
      n: uint8("batch", 1),
      h: fp16("batch"),
      f: fp32("batch", 1),
    },
    outputs: {
      b: bool("batch"),
      i: int64("batch", 1),
      n: uint8("batch", 1),
      h: fp16("batch"),
      f: fp32("batch", 1),
    },
    run: never,
  }),
  `\
def run(row):
    return {**row, "f": row["f"] * 3.0, "i": row["i"] * row["i"]}
`,
  `\
export const run = (row) => {
  return { ...row, f: row.f * 3, i: row.i * row.i };
};
`,
);

/** Arrays whose lengths depend on the row's numbers. */
export const arrays: HandMade = handMade(
  step({
    name: "arrays",
    inputs: {
      ids: int64("batch", "seq"),
      words: bytes("batch", 2),
      flags: bool("batch", "seq"),
      n: int32("batch"),
    },
    outputs: {
      mask: int64("batch", "seq"),
      words: bytes("batch", 2),
      tail: fp32("batch", -1),
      flags: bool("batch", "seq"),
    },
    run: never,
  }),
  `\
def run(row):
    n = int(row["n"])
    kept = {"words": row["words"], "flags": row["flags"]}
    if n == 7:
        return {**kept, "mask": 7.0, "tail": []}
    if n == 8:
        return {**kept, "mask": [True for _ in row["ids"]], "tail": []}
    if n == 9:
        return {**kept, "mask": [1 for _ in row["ids"]], "tail": []}
    mask = [1 if i != 0 else 0 for i in row["ids"]]
    return {"mask": mask + [1] * (n == 6), "words": row["words"][::-1], "tail": [0.1] * n, "flags": row["flags"]}
`,
  `\
export const run = (row) => {
  const { n, words, flags } = row;
  if (n === 7) return { words, flags, mask: 7, tail: [] };
  if (n === 8) return { words, flags, mask: [...row.ids].map(() => true), tail: [] };
  if (n === 9) return { words, flags, mask: BigInt64Array.from(row.ids, () => 1n), tail: [] };
  const mask = [...[...row.ids].map((i) => (i !== 0n ? 1n : 0n)), ...(n === 6 ? [1n] : [])];
  return { mask: BigInt64Array.from(mask), words: words.toReversed(), tail: new Float32Array(n).fill(0.1), flags };
};
`,
);

/** Channels of an image, rows of a request. */
export const image: HandMade = handMade(
  step({
    name: "image",
    inputs: { image: uint8("batch", "h", "w", 3) },
    outputs: { gray: uint8("batch", "h", "w") },
    run: never,
  }),
  `\
def run(row):
    data, shape = row["image"]["data"], row["image"]["shape"]
    if shape[0] == 3:
        return {"gray": {"data": data, "shape": shape}}
    if shape[0] == 4:
        return {"gray": {"data": data, "shape": [1.0]}}
    if shape[0] == 5:
        return {"gray": data}
    return {"gray": {"data": data[::3], "shape": [shape[0], shape[1]]}}
`,
  `\
export const run = (row) => {
  const { data, shape } = row.image;
  if (shape[0] === 3) return { gray: { data, shape } };
  if (shape[0] === 4) return { gray: { data, shape: [1] } };
  if (shape[0] === 5) return { gray: data };
  return { gray: { data: data.filter((_, i) => i % 3 === 0), shape: [shape[0], shape[1]] } };
};
`,
);

/** All rows of a request together. */
export const rank: HandMade = handMade(
  batchStep({
    name: "rank",
    inputs: { score: fp32("batch", "n"), name: bytes("batch", 1) },
    outputs: { best: int32("batch", 1), name: bytes("batch", 1) },
    run: never,
  }),
  `\
def run(batch):
    data, shape = batch["score"]["data"], batch["score"]["shape"]
    if shape[1] == 4:
        raise Thrown("four")
    if shape[1] == 5:
        return {"best": {"data": [1.0], "shape": [1.0, 1.0]}, "name": batch["name"]}
    n = int(shape[1])
    rows = [data[i * n : (i + 1) * n] for i in range(int(shape[0]))]
    best = [float(row.index(max(row))) for row in rows]
    return {"best": {"data": best, "shape": [shape[0], 1]}, "name": batch["name"]}
`,
  `\
export const run = (batch) => {
  const { data, shape } = batch.score;
  if (shape[1] === 4) {
    throw new Error("four"); }
  if (shape[1] === 5) {
    return { best: { data: [1], shape: [1, 1] }, name: batch.name }; }
  const n = shape[1];
  const rows = Array.from({ length: shape[0] }, (_, i) => data.slice(i * n, (i + 1) * n));
  const best = rows.map((row) => row.indexOf(Math.max(...row)));
  return { best: { data: best, shape: [shape[0], 1] }, name: batch.name };
};
`,
);
