import { describe, expect, it } from "vitest";
import { ClientError } from "./client-error.ts";
import type { Contract, Signature } from "./contract.ts";
import { encodeInputs } from "./encode-inputs.ts";

const contractOf = (inputs: Signature): Contract => ({ name: "m", inputs, outputs: {} });
const encode = (
  inputs: Signature,
  values: unknown,
): readonly (readonly [string, readonly number[], number[]])[] =>
  encodeInputs(contractOf(inputs), values).map(({ name, shape, data }) => [name, shape, [...data]]);
const failure = (inputs: Signature, values: unknown): string => {
  try {
    encodeInputs(contractOf(inputs), values);
  } catch (error) {
    if (error instanceof ClientError && error.kind === "invalid") return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
};

const text: Signature = { text: { dtype: "BYTES", dims: ["batch", 1] } };
const ids: Signature = {
  ids: { dtype: "INT64", dims: ["batch", "seq"] },
  mask: { dtype: "UINT8", dims: ["batch", "seq"] },
};
const image: Signature = { image: { dtype: "FP32", dims: ["batch", 1, 2] } };

describe("encodeInputs", () => {
  it.each<[string, Signature, unknown, unknown]>([
    [
      "text without the size-1 dim",
      text,
      { text: ["é", ""] },
      [["text", [2, 1], [2, 0, 0, 0, 0xc3, 0xa9, 0, 0, 0, 0]]],
    ],
    ["bytes", text, { text: [Uint8Array.of(255)] }, [["text", [1, 1], [1, 0, 0, 0, 255]]]],
    [
      "an empty list without a batch",
      { x: { dtype: "INT8", dims: ["n", 2] } },
      { x: [] },
      [["x", [0, 2], []]],
    ],
    [
      "bigint and number for 64 bits",
      { x: { dtype: "INT64", dims: ["n"] } },
      { x: [-1n, 2] },
      [["x", [2], [...Array<number>(8).fill(255), 2, 0, 0, 0, 0, 0, 0, 0]]],
    ],
    [
      "a tensor with only the batch dim, which has a size-1 dim on the wire",
      { x: { dtype: "BOOL", dims: ["batch"] } },
      { x: [true, false] },
      [["x", [2, 1], [1, 0]]],
    ],
    [
      "elements are returned with their shape, with or without its 1s",
      image,
      { image: { data: Float32Array.of(1, 2), shape: [1, 2] } },
      [["image", [1, 1, 2], [0, 0, 128, 63, 0, 0, 0, 64]]],
    ],
    [
      "typed arrays as rows",
      image,
      { image: [Float32Array.of(1, 2)] },
      [["image", [1, 1, 2], [0, 0, 128, 63, 0, 0, 0, 64]]],
    ],
    [
      "FP16 and BF16 from numbers",
      { h: { dtype: "FP16", dims: ["n"] }, b: { dtype: "BF16", dims: ["n"] } },
      { h: [1.5], b: { data: Float32Array.of(-2), shape: [1] } },
      [
        ["h", [1], [0, 0x3e]],
        ["b", [1], [0, 0xc0]],
      ],
    ],
    [
      "an optional input left out",
      { ...text, note: { dtype: "BYTES", dims: [1], optional: true } },
      { text: [""] },
      [["text", [1, 1], [0, 0, 0, 0]]],
    ],
  ])("takes %s", (_, inputs, values, expected) => {
    expect(encode(inputs, values)).toEqual(expected);
  });

  it("does not copy typed arrays of the dtype", () => {
    const data = Float32Array.of(1, 2);
    expect(encodeInputs(contractOf(image), { image: { data, shape: [1, 1, 2] } })[0]?.data.buffer).toBe(
      data.buffer,
    );
  });

  it.each<[string, Signature, unknown, string]>([
    ["no object", text, ["a"], "m takes an object of inputs: { text: BYTES[batch, 1] }"],
    [
      "an unknown name",
      text,
      { texts: ["a"] },
      "m has no input `texts`; its inputs are text: BYTES[batch, 1]",
    ],
    ["a missing input", ids, { ids: [[1]] }, "input `mask` of m is missing: UINT8[batch, seq]"],
    [
      "text in place of a list",
      text,
      { text: "hello" },
      'input `text`: expected BYTES[batch, 1], got "hello" at text, where a list is expected',
    ],
    [
      "numbers in place of text",
      text,
      { text: ["a", 1] },
      "input `text`: expected BYTES[batch, 1], got 1 at text[1], where text or a Uint8Array is expected",
    ],
    ["no rows", text, { text: [] }, "input `text`: expected BYTES[batch, 1], got no rows"],
    [
      "no rows as elements",
      image,
      { image: { data: new Float32Array(), shape: [0, 1, 2] } },
      "input `image`: expected FP32[batch, 1, 2], got no rows",
    ],
    [
      "one list too many",
      text,
      { text: [["a"]] },
      "input `text`: expected BYTES[batch, 1], got a list of 1 at text[0], where text or a Uint8Array is expected",
    ],
    [
      "a lone surrogate",
      text,
      { text: ["\ud800"] },
      "input `text`: expected BYTES[batch, 1], got a lone surrogate at text[0], which is not text",
    ],
    [
      "ragged rows",
      ids,
      { ids: [[1, 2], [3]], mask: [] },
      "input `ids`: expected INT64[batch, seq], got lists of different lengths: ids[1] has 1, those before it 2",
    ],
    [
      "a wrong fixed size",
      image,
      { image: [[1, 2, 3]] },
      "input `image`: expected FP32[batch, 1, 2], got [1, 1, 3]",
    ],
    [
      "two sizes for one name",
      ids,
      { ids: [[1, 2]], mask: [[1]] },
      "input `mask`: expected UINT8[batch, seq], got [1, 1]: seq is 1 here and 2 in `ids`",
    ],
    [
      "an integer out of range",
      ids,
      { ids: [[1]], mask: [[256]] },
      "input `mask`: expected UINT8[batch, seq], got 256 at mask[0][0], where an integer from 0 to 255 is expected",
    ],
    [
      "a fraction",
      ids,
      { ids: [[1]], mask: [[0.5]] },
      "input `mask`: expected UINT8[batch, seq], got 0.5 at mask[0][0], where an integer from 0 to 255 is expected",
    ],
    [
      "an integer that a number cannot represent",
      { x: { dtype: "UINT64", dims: ["n"] } },
      { x: [2 ** 53] },
      "input `x`: expected UINT64[n], got 9007199254740992 at x[0], where a bigint or safe integer from 0 to 18446744073709551615 is expected",
    ],
    [
      "a number that is too large for FP32",
      image,
      { image: [[1, 1e39]] },
      "input `image`: expected FP32[batch, 1, 2], got 1e+39 at image[0][1], where a number that FP32 can hold is expected",
    ],
    [
      "a number that is too large for FP16",
      { h: { dtype: "FP16", dims: ["n"] } },
      { h: [70_000] },
      "input `h`: expected FP16[n], got 70000 at h[0], where a number that FP16 can hold is expected",
    ],
    [
      "a count that does not match the shape",
      image,
      { image: { data: [1], shape: [1, 1, 2] } },
      "input `image`: expected FP32[batch, 1, 2], got 1 elements for the shape [1, 1, 2], which has 2",
    ],
    [
      "a shape with a different rank",
      image,
      { image: { data: [1, 2], shape: [2] } },
      "input `image`: expected FP32[batch, 1, 2], got [2]",
    ],
    [
      "no shape",
      image,
      { image: { data: [1, 2], shape: 2 } },
      "input `image`: expected FP32[batch, 1, 2], got the shape 2",
    ],
    [
      "null",
      text,
      { text: null },
      "input `text`: expected BYTES[batch, 1], got null at text, where a list is expected",
    ],
  ])("refuses %s", (_, inputs, values, message) => {
    expect(failure(inputs, values)).toBe(message);
  });

  it("keeps NaN and infinities", () => {
    expect(encode({ x: { dtype: "FP32", dims: ["n"] } }, { x: [Number.NaN, Infinity] })[0]?.[2]).toEqual([
      0, 0, 192, 127, 0, 0, 128, 127,
    ]);
  });
});
