import { expect, test } from "vitest";
import { encodeModel } from "./codec.ts";
import { readModelOutline } from "./model-outline.ts";
import { attributeTypes, type GraphProto, type TensorProto } from "./model-proto.ts";
import { readOnnxSignature } from "./read-signature.ts";

const weights = (name: string, bytes: number): TensorProto => ({
  name,
  dataType: 2,
  dims: [bytes],
  rawData: new Uint8Array(bytes).fill(8),
});
const external = (name: string): TensorProto =>
  ({
    name,
    dataType: 1,
    dims: [4],
    dataLocation: 1,
    externalData: [{ key: "location", value: `${name}.bin` }],
    docString: "x".repeat(2000),
  }) as TensorProto;
const port = (name: string) => ({
  name,
  type: { tensorType: { elemType: 1, shape: { dim: [{ dimParam: "n" }, { dimValue: 4 }, {}] } } },
});
const inner: GraphProto = { name: "inner", initializer: [weights("deep", 3000), external("d")] };
const whole = encodeModel({
  irVersion: 8,
  producerName: "a test",
  graph: {
    name: "g",
    node: [
      { opType: "If", attribute: [{ name: "then_branch", type: attributeTypes.graph, g: inner }] },
      { opType: "Constant", attribute: [{ name: "value", t: weights("c", 100_000) }] },
      { opType: "Constant", attribute: [{ name: "value", t: external("e") }] },
    ],
    initializer: [
      weights("w", 500_000),
      external("f"),
      { ...weights("v", 0), floatData: Array(2000).fill(1) },
    ],
    sparseInitializer: [{ values: weights("s", 5000), indices: external("i"), dims: [9] }],
    input: [port("a"), port("w")],
    output: [port("b")],
  },
  opsetImport: [
    { domain: "", version: 17 },
    { domain: "ai.onnx.ml", version: 3 },
  ],
  functions: [{ name: "f", node: [{ attribute: [{ name: "value", t: external("h") }] }] }],
});
const readerOf = (bytes: Uint8Array) => {
  const read: number[] = [];
  const outline = readModelOutline(bytes.length, (offset, length) => {
    read.push(length);
    return bytes.subarray(offset, offset + length);
  });
  return { outline, bytesRead: read.reduce((sum, length) => sum + length, 0) };
};

test("an outline has the signature of the whole file", () => {
  const { outline } = readerOf(whole);
  const signature = readOnnxSignature(whole);
  expect(signature).toMatchObject({ externalFiles: ["d.bin", "e.bin", "f.bin", "h.bin", "i.bin"] });
  expect(readOnnxSignature(outline ?? new Uint8Array())).toEqual(signature);
  expect(outline?.length).toBeLessThan(20_000);
});

test("skips the values of tensors", () => {
  const large = encodeModel({
    irVersion: 8,
    graph: { initializer: [weights("w", 20_000_000)], input: [port("a")] },
    opsetImport: [{ version: 17 }],
  });
  expect(readerOf(large).bytesRead).toBeLessThan(200_000);
});

test("reports the same problem for a truncated file as reading the whole file does", () => {
  for (let length = 1; length < whole.length; length += length < 20_000 ? 37 : 9973) {
    const cut = whole.subarray(0, length);
    const { outline } = readerOf(cut);
    expect({ length, ...readOnnxSignature(outline ?? new Uint8Array()) }).toEqual({
      length,
      ...readOnnxSignature(cut),
    });
  }
});

test("returns undefined for other files and for unreadable files", () => {
  expect(readerOf(new TextEncoder().encode("<!DOCTYPE html>")).outline).toBeUndefined();
  expect(readModelOutline(100, () => undefined)).toBeUndefined();
  expect(readModelOutline(0, () => undefined)).toEqual(new Uint8Array());
});

test("a file of zeros, as left by an interrupted download, is recognized at its first byte", () => {
  let read = 0;
  const outline = readModelOutline(6e9, (_, length) => {
    read += length;
    return new Uint8Array(length);
  });
  expect(outline).toHaveLength(1);
  expect(read).toBeLessThan(200_000);
  expect(readOnnxSignature(outline ?? whole)).toEqual({
    problem: "the file is not an ONNX model: its bytes are not a protobuf ModelProto",
  });
});

test("zeros after a valid beginning are recognized", () => {
  const bytes = new Uint8Array(3_000_000);
  bytes.set(whole.subarray(0, 20));
  const outline = readModelOutline(bytes.length, (offset, length) => bytes.slice(offset, offset + length));
  expect(outline?.length).toBeLessThan(3000);
  expect(readOnnxSignature(outline ?? whole)).toHaveProperty("problem");
});
