import { expect, it } from "vitest";
import { encodeModel } from "./codec.ts";
import type { NodeProto, TypeProto } from "./model-proto.ts";
import { replacementOf, showKind } from "./non-tensor.ts";
import { readOnnxSignature } from "./read-signature.ts";

/** A model whose output `y` has a type, and its nodes. */
const output = (type: TypeProto, node: readonly NodeProto[] = []) => {
  const signature = readOnnxSignature(
    encodeModel({
      irVersion: 8,
      graph: { node, output: [{ name: "y", type }] },
      opsetImport: [{ version: 17 }],
    }),
  );
  const port = signature.problem === undefined ? signature.outputs[0] : undefined;
  if (port === undefined) throw new Error("no output");
  return port;
};
const made = (opType: string): readonly NodeProto[] => [
  { opType: "Relu", input: ["x"], output: ["z"] },
  { opType, input: ["z"], output: ["other", "y"] },
];

it.each([
  [
    "ZipMap",
    { sequenceType: {} },
    'it comes from ZipMap: export with `options={id(model): {"zipmap": False}}`, or remove the node',
  ],
  [
    "SplitToSequence",
    { sequenceType: {} },
    "it comes from SplitToSequence: use Split, whose outputs are tensors",
  ],
  [
    "SequenceInsert",
    { sequenceType: {} },
    "it comes from SequenceInsert: join its elements with ConcatFromSequence inside the model, or return each as an output",
  ],
  ["Optional", { optionalType: {} }, "it comes from Optional: return the value itself"],
  ["constructor", { mapType: {} }, "it comes from constructor: return its keys and values as two tensors"],
  ["Cast", { tensorType: { elemType: 14 } }, "convert it inside the model to a type that Triton supports"],
] as const)("the advice fits an output of %s", (operator, type, help) => {
  expect(replacementOf(output(type, made(operator)), "output")).toBe(help);
});

it("an input, and an output of an unknown origin, get advice without an operator", () => {
  expect(replacementOf({ kind: "sequence" }, "input")).toBe("give the model one input for each element");
  expect(replacementOf(output({ sequenceType: {} }), "output")).toBe(
    "join its elements with ConcatFromSequence inside the model, or return each as an output",
  );
});

it("a kind has the right article", () => {
  expect(["sequence", "optional", "sparse-tensor"].map((kind) => showKind(kind as "sequence"))).toEqual([
    "a sequence",
    "an optional value",
    "a sparse tensor",
  ]);
});
