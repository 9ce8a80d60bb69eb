import {
  batchStep,
  bool,
  bytes,
  defineEnsemble,
  flow,
  fp32,
  int32,
  int64,
  json,
  optional,
  step,
  uint8,
  type BatchInputs,
  type RowInputs,
  type RowOutputs,
} from "tritype";
import type { AllTrue, Equal } from "../equal.ts";

interface Span {
  readonly from: number;
  readonly label: string;
}

/** Every form that a row can have. */
export const everything = step({
  name: "everything",
  inputs: {
    text: bytes("batch", 1),
    flag: bool("batch"),
    id: int64("batch", 1),
    score: fp32("batch"),
    ids: int64("batch", "seq"),
    mask: int32("batch", "seq"),
    texts: bytes("batch", 3),
    image: uint8("batch", "h", "w", 3),
    spans: json<Span[]>(),
    limit: optional(fp32("batch", 1)),
    focus: optional(json<Span>()),
  },
  outputs: { text: bytes("batch", 1), ids: int64("batch", "seq"), spans: json<readonly Span[]>() },
  run(row) {
    type Row = typeof row;
    type _Checks = AllTrue<
      [
        Equal<Row["text"], string>,
        Equal<Row["flag"], boolean>,
        Equal<Row["id"], bigint>,
        Equal<Row["score"], number>,
        Equal<Row["ids"], BigInt64Array>,
        Equal<Row["mask"], Int32Array>,
        Equal<Row["texts"], string[]>,
        Equal<Row["image"]["data"], Uint8Array>,
        Equal<Row["image"]["shape"], readonly [number, number, number]>,
        Equal<Row["spans"], Span[]>,
        Equal<Row["limit"], number | undefined>,
        Equal<Row["focus"], Span | undefined>,
      ]
    >;
    return { text: row.text.trim(), ids: row.ids, spans: row.spans };
  },
  timeLimit: "500ms",
  maxBatchSize: 8,
  dynamicBatching: { maxQueueDelay: "1ms" },
  instanceGroup: [{ kind: "cpu", count: 2 }],
});

const inputs = { x: fp32("batch", "n"), names: json<string[]>() } as const;
type Batch = BatchInputs<typeof inputs>;
type _Batch = AllTrue<[Equal<Batch["x"]["data"], Float32Array>, Equal<Batch["names"]["data"], string[][]>]>;

/** All rows of a request at once. */
export const normalise = batchStep({
  name: "normalise",
  inputs,
  outputs: { y: fp32("batch", "n") },
  run: ({ x }) => ({ y: { data: x.data.map((value) => value / x.data.length), shape: x.shape } }),
});

/** A standalone function, typed by the signature. */
const signature = { text: bytes("batch", 1) } as const;
const upper = ({ text }: RowInputs<typeof signature>): RowOutputs<typeof signature> => ({
  text: text.toUpperCase(),
});
export const shout = step({ name: "shout", inputs: signature, outputs: signature, run: upper });

export const loud = defineEnsemble({
  name: "loud",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => shout({ text }),
});

/** Sizes have the declared rank; lists of numbers are accepted unchanged. */
export const lists = step({
  name: "lists",
  inputs: { image: uint8("batch", "h", "w"), words: bytes("batch", "n") },
  outputs: {
    sums: int32("batch", "h"),
    ids: int64("batch", "n"),
    flags: bool("batch", "n"),
    box: fp32("batch", 2, 2),
  },
  run({ image: { data, shape }, words }) {
    const [height, width] = shape;
    const sums = Array.from({ length: height }, (_, row) => data[row * width] ?? 0);
    return {
      sums,
      ids: words.map((word) => BigInt(word.length)),
      flags: words.map((word) => word !== ""),
      box: { data: [0, 1, 2, 3], shape: [2, 2] },
    };
  },
});

/** Array literals in a `json<T>()` result: mutable arrays, tuples, and records with arrays. */
const literals = {
  words: json<string[]>(),
  pair: json<[number, string]>(),
  tagged: json<{ tags: string[]; kind: "a" | "b" }[]>(),
};
export const literal = step({
  name: "literal",
  inputs: signature,
  outputs: { ...literals, scores: fp32("batch", 2) },
  run: ({ text }) => ({
    words: [text],
    pair: [text.length, text],
    tagged: [{ tags: [text, "b"], kind: "a" }],
    scores: [1, 2],
  }),
});
export const literalOnNode = step({
  name: "literal_on_node",
  engine: "node",
  inputs: signature,
  outputs: literals,
  run: async ({ text }) => ({
    words: text === "" ? [] : [text],
    pair: [1, text],
    tagged: [{ tags: [], kind: "b" }],
  }),
});
export const literalBatch = batchStep({
  name: "literal_batch",
  inputs: signature,
  outputs: { words: json<string[]>() },
  run: ({ text: { data } }) => ({ words: { data: [[data[0] ?? ""]], shape: [1, 1] } }),
});
export const literalFlow = flow({
  name: "literal_flow",
  inputs: signature,
  outputs: literals,
  uses: { shout },
  run: async ({ text }, { shout }) => ({
    words: [(await shout({ text })).text],
    pair: [1, text] as const,
    tagged: [{ tags: [text], kind: "a" as const }],
  }),
});
