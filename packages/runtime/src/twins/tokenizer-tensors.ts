import type { TokenizerPadding, TokenizerTwinOptions } from "@tritype/manifest";
import { type FixedTensor, invariant } from "@tritype/core";
import type { EncodedRow } from "./tokenizer-engine.ts";

type Pad = TokenizerTwinOptions["pad"];
/** The values of a row in an output, and the padding value. */
interface Field {
  readonly values: (row: EncodedRow) => readonly number[];
  readonly fill: (pad: Pad) => number;
  /** Numbers per token. */
  readonly width: 1 | 2;
}

const fields: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["input_ids", { values: (row) => row.ids(), fill: (pad) => pad.id, width: 1 }],
  ["attention_mask", { values: (row) => Array<number>(row.length).fill(1), fill: () => 0, width: 1 }],
  ["token_type_ids", { values: (row) => row.typeIds(), fill: (pad) => pad.typeId, width: 1 }],
  ["special_tokens_mask", { values: (row) => row.specialTokensMask(), fill: () => 1, width: 1 }],
  ["offsets", { values: (row) => row.offsets().flat(), fill: () => 0, width: 2 }],
]);

/** The length to which all rows of a request are padded. */
export const paddedLength = (
  rows: readonly EncodedRow[],
  padding: TokenizerPadding,
  maxLength: number,
): number => {
  if (padding === "maxLength") return maxLength;
  const longest = rows.reduce((n, row) => Math.max(n, row.length), 0);
  if (padding === "longest") return longest;
  if ("multipleOf" in padding) return Math.ceil(longest / padding.multipleOf) * padding.multipleOf;
  const bucket = padding.buckets.find((size) => size >= longest);
  invariant(bucket !== undefined, "the last bucket holds every row");
  return bucket;
};

/** An output of rows padded to `length`: [rows, length], or [rows, length, 2] for offsets. */
export const paddedTensor = (
  output: string,
  dtype: "INT64" | "INT32",
  rows: readonly EncodedRow[],
  length: number,
  pad: Pad,
): FixedTensor => {
  const field = fields.get(output);
  invariant(field !== undefined, `a tokenizer has no output ${output}`);
  const { width } = field;
  // No value is negative, so the upper half of an INT64 stays 0.
  const stride = dtype === "INT64" ? 2 : 1;
  const words = new Int32Array(rows.length * length * width * stride);
  const fill = field.fill(pad);
  if (fill !== 0) for (let i = 0; i < words.length; i += stride) words[i] = fill;
  rows.forEach((row, index) => {
    const before = pad.side === "left" ? length - row.length : 0;
    let at = (index * length + before) * width * stride;
    for (const value of field.values(row)) {
      words[at] = value;
      at += stride;
    }
  });
  const shape = width === 1 ? [rows.length, length] : [rows.length, length, width];
  return { dtype, shape, data: new Uint8Array(words.buffer) };
};
