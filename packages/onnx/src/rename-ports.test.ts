import { expect, test } from "vitest";
import { decodeModel } from "./codec.ts";
import { buildModel } from "./build-model.ts";
import { readOnnxSignature } from "./read-signature.ts";
import { renamePorts } from "./rename-ports.ts";

const type = { dtype: "FP32", dims: ["batch", 4] } as const;
const model = buildModel(
  {
    name: "sum",
    inputs: [
      { name: "a", type },
      { name: "b", type },
    ],
    outputs: [{ name: "y", type }],
  },
  (builder) => ({ y: builder.node("Add", ["a", "b"])[0] ?? "" }),
);

test("inputs and outputs are renamed, and the graph is otherwise unchanged", () => {
  const renamed = renamePorts(model, { inputs: { a: "INPUT__0" }, outputs: { y: "OUTPUT__0" } });
  const signature = readOnnxSignature(renamed);
  if (signature.problem !== undefined) throw new Error(signature.problem);
  expect(signature.inputs.map(({ name, dims }) => ({ name, dims }))).toEqual([
    { name: "INPUT__0", dims: ["batch", 4] },
    { name: "b", dims: ["batch", 4] },
  ]);
  expect(signature.outputs.map(({ name }) => name)).toEqual(["OUTPUT__0"]);
  const nodes = decodeModel(renamed).graph?.node ?? [];
  expect(nodes.map(({ opType, input, output }) => [opType, input, output])).toEqual([
    ["Identity", ["INPUT__0"], ["a"]],
    ...(decodeModel(model).graph?.node ?? []).map(({ opType, input, output }) => [opType, input, output]),
    ["Identity", ["y"], ["OUTPUT__0"]],
  ]);
});
