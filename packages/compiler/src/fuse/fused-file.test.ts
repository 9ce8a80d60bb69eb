import { concatBytes } from "@tritype/core";
import { encodeModel, type Splice } from "@tritype/onnx";
import { expect, test } from "vitest";
import { memoryHost } from "../compile.fixture.ts";
import type { HostFile } from "../compiler-host.ts";
import { fusedFile } from "./fused-file.ts";

/** Adds a node after the file's own. */
const splice: Splice = {
  before: {},
  after: { node: [{ opType: "Neg", name: "after/neg", input: ["y"], output: ["z"] }] },
  droppedInputs: new Set(),
  inputs: [],
  keptOutputs: new Set(["y"]),
  outputs: [],
  opsets: [],
};

const varint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
/** A length-delimited field of a protocol buffer, without its content. */
const fieldHead = (number: number, length: number): Uint8Array =>
  Uint8Array.from([number * 8 + 2, ...varint(length)]);
const [graphField, initializerField] = [7, 5];

interface LargeFile {
  readonly file: HostFile;
  /** Where the weights begin. */
  readonly weights: number;
  /** The largest number of bytes that were read at once. */
  readonly mostRead: () => number;
}

/** A model file whose weights are zeros that only exist while they are read. */
const largeFile = (weights: number): LargeFile => {
  const node = encodeModel({
    graph: { node: [{ opType: "Relu", name: "relu", input: ["x"], output: ["y"] }] },
  });
  // Without the tag and the length of the graph, which are one byte each.
  const body = node.subarray(2);
  const initializer = fieldHead(initializerField, weights);
  const head = concatBytes([
    fieldHead(graphField, body.length + initializer.length + weights),
    body,
    initializer,
  ]);
  const size = head.length + weights;
  let most = 0;
  const readAt = (offset: number, length: number): Uint8Array => {
    most = Math.max(most, length);
    const read = new Uint8Array(Math.min(length, size - offset));
    if (offset < head.length) read.set(head.subarray(offset, offset + read.length));
    return read;
  };
  const file: HostFile = {
    place: undefined,
    size,
    get bytes(): Uint8Array {
      throw new Error("the whole file was read");
    },
    readAt,
    sha256: () => "the original's hash",
  };
  return { file, weights: head.length, mostRead: () => most };
};

const host = memoryHost();

test("a file of nearly 2 GiB is fused without reading its weights, and its parts can be read anywhere", () => {
  const { file, weights, mostRead } = largeFile(2 ** 31 - 1000);
  const fused = fusedFile(file, splice, host);
  if (typeof fused === "string") throw new Error(fused);
  expect(mostRead()).toBeLessThan(2 ** 20);
  const added = fused.size - file.size;
  expect(added).toBeGreaterThan(20);
  expect(added).toBeLessThan(200);
  const end = Buffer.from(fused.readAt(fused.size - added, added) ?? []).toString("latin1");
  expect(end).toContain("after/neg");
  expect(fused.readAt(weights + 2 ** 30, 4)).toEqual(new Uint8Array(4));
  expect(Buffer.from(fused.readAt(0, weights) ?? []).toString("latin1")).toContain("relu");
});

test("a file that would have more than 2 GiB is not fused", () => {
  const { file } = largeFile(2 ** 31 - 35);
  expect(file.size).toBeLessThan(2 ** 31);
  const fused = fusedFile(file, splice, host);
  expect(typeof fused === "string" ? fused : fused.size).toBe("the model's file would have more than 2 GiB");
});
