import { encodeModel, readOnnxSignature } from "@tritype/onnx";
import { expect, test } from "vitest";
import { memoryHost } from "../compile.fixture.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { onnxBytes } from "./onnx-bytes.ts";

const weights = 3 * 2 ** 20;
const model = encodeModel({
  irVersion: 8,
  opsetImport: [{ domain: "", version: 17 }],
  graph: {
    node: [{ opType: "Identity", input: ["x"], output: ["y"] }],
    initializer: [{ name: "w", dataType: 2, dims: [weights], rawData: new Uint8Array(weights) }],
    input: [{ name: "x", type: { tensorType: { elemType: 1, shape: { dim: [{ dimParam: "n" }] } } } }],
    output: [{ name: "y", type: { tensorType: { elemType: 1, shape: { dim: [{ dimParam: "n" }] } } } }],
  },
});

/** Counts the bytes read from `model.onnx`. */
const counted = (bytes: Uint8Array): { readonly host: CompilerHost; read(): number } => {
  let read = 0;
  const seen = (part: Uint8Array): Uint8Array => {
    read += part.length;
    return part;
  };
  const host: CompilerHost = {
    ...memoryHost(),
    readFile: (path) => (path === "model.onnx" ? seen(bytes) : undefined),
    openFile: (path) =>
      path === "model.onnx"
        ? {
            place: undefined,
            size: bytes.length,
            get bytes() {
              return seen(bytes);
            },
            readAt: (offset, length) => seen(bytes.subarray(offset, offset + length)),
            sha256: () => "",
          }
        : undefined,
  };
  return { host, read: () => read };
};

test("only the parts around the weights of a large model are read", () => {
  const { host, read } = counted(model);
  const bytes = onnxBytes(host, "model.onnx") ?? new Uint8Array();
  expect(readOnnxSignature(bytes)).toEqual(readOnnxSignature(model));
  expect(bytes.length).toBeLessThan(1000);
  expect(read()).toBeLessThan(300_000);
});

test.each([
  ["that is truncated", model.subarray(0, 2 ** 21)],
  ["that is none", new Uint8Array(2 ** 21).fill(0xff)],
])("reading parts of a large model gives the same result as reading all of its bytes: %s", (_, bytes) => {
  const { host } = counted(bytes);
  const problem = readOnnxSignature(bytes);
  expect(problem.problem).toBeDefined();
  expect(readOnnxSignature(onnxBytes(host, "model.onnx") ?? new Uint8Array())).toEqual(problem);
});

test("the host may be unable to read large files, or may lack the file", () => {
  expect(onnxBytes(memoryHost({ "model.onnx": model }), "model.onnx")?.length).toBeLessThan(1000);
  expect(onnxBytes(memoryHost(), "model.onnx")).toBeUndefined();
});
