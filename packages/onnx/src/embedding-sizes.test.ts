import { tensorOf } from "@tritype/core";
import type { OnnxBuilder } from "@tritype/operators";
import { expect, test } from "vitest";
import { buildModel, decodeModel, type EmbeddingSizes, embeddingSizes } from "./index.ts";

/** The tables of a model that looks up tokens in 8 rows, and in 16 rows what `place` computes from the ids. */
const sizesOf = (place: (builder: OnnxBuilder, length: string) => string): EmbeddingSizes => {
  const row = { dtype: "INT64", dims: ["batch", "seq"] } as const;
  const hidden = { dtype: "FP32", dims: ["batch", "seq", 2] } as const;
  const header = {
    name: "encoder",
    inputs: [{ name: "input_ids", type: row }],
    outputs: [{ name: "hidden", type: hidden }],
  };
  const bytes = buildModel(header, (builder) => {
    const table = (rows: number, ids: string): string => {
      const zeros = Array.from({ length: rows * 2 }, () => 0);
      return builder.node("Gather", [builder.constant(tensorOf("FP32", [rows, 2], zeros)), ids])[0];
    };
    const [shape] = builder.node("Shape", ["input_ids"]);
    const [length] = builder.node("Gather", [shape, number(builder, 1)]);
    const added = builder.node("Add", [table(8, "input_ids"), table(16, place(builder, length))]);
    return { hidden: added[0] };
  });
  return embeddingSizes(decodeModel(bytes).graph ?? {});
};

const number = (builder: OnnxBuilder, value: number): string =>
  builder.constant(tensorOf("INT64", [], [BigInt(value)]));
const range = (builder: OnnxBuilder, end: string, start = 0): string =>
  builder.node("Range", [number(builder, start), end, number(builder, 1)])[0];

test.each<[what: string, place: Parameters<typeof sizesOf>[0], positions: number | undefined]>([
  ["a Range over the text", (builder, length) => range(builder, length), 16],
  [
    "the same in another form",
    (builder, length) => {
      const [size] = builder.node("Cast", [length], { to: { int: 7 } });
      const axes = builder.constant(tensorOf("INT64", [1], [0n]));
      return builder.node("Unsqueeze", [range(builder, size), axes])[0];
    },
    16,
  ],
  [
    "two rows before the first token's",
    (builder, length) => builder.node("Add", [range(builder, length), number(builder, 2)])[0],
    14,
  ],
  ["a Range of a fixed size", (builder) => range(builder, number(builder, 4)), undefined],
  ["a Range that starts later", (builder, length) => range(builder, length, 1), undefined],
  ["distances", (builder, length) => builder.node("Neg", [range(builder, length)])[0], undefined],
])("%s", (_, place, positions) => {
  const sizes = sizesOf(place);
  expect([...sizes.tokens]).toEqual([["input_ids", 8]]);
  expect([sizes.positions(0), sizes.positions(2)]).toEqual([positions, positions]);
});
