import { expect, it } from "vitest";
import { decodeModel, encodeModel } from "./codec.ts";
import { usedOperators } from "./used-operators.ts";

it("lists the operators of nodes, branches and functions once, without calls of the file's functions", () => {
  const branch = {
    node: [{ opType: "Gelu", domain: "com.microsoft", input: ["x"], output: ["g"] }],
    output: [{ name: "g" }],
  };
  const model = decodeModel(
    encodeModel({
      irVersion: 8,
      opsetImport: [{ version: 17 }, { domain: "com.microsoft", version: 1 }, { domain: "mine", version: 1 }],
      graph: {
        input: [{ name: "x", type: { tensorType: { elemType: 3 } } }],
        valueInfo: [{ name: "a", type: { tensorType: { elemType: 1 } } }],
        initializer: [{ name: "c", dataType: 9 }],
        node: [
          { opType: "Relu", input: ["x"], output: ["a"] },
          { opType: "Relu", domain: "ai.onnx", input: ["a"], output: ["b"] },
          {
            opType: "If",
            input: ["c"],
            output: ["d"],
            attribute: [{ name: "then_branch", type: 5, g: branch }],
          },
          { opType: "Half", domain: "mine", input: ["b"], output: ["e"] },
          { opType: "Foo", domain: "other", input: ["b"], output: ["f"] },
        ],
      },
      functions: [
        {
          name: "Half",
          domain: "mine",
          input: ["x"],
          output: ["y"],
          node: [{ opType: "Mish", input: ["x"], output: ["y"] }],
          opsetImport: [{ version: 18 }],
        },
      ],
    }),
  );
  const { graph = {} } = model;
  expect(usedOperators({ ...model, graph })).toEqual([
    { domain: "", name: "Relu", version: 17, dtypes: ["INT8", "FP32"] },
    { domain: "", name: "If", version: 17, dtypes: ["BOOL"] },
    { domain: "com.microsoft", name: "Gelu", version: 1, dtypes: ["INT8"] },
    { domain: "other", name: "Foo", version: undefined, dtypes: [] },
    { domain: "", name: "Mish", version: 18, dtypes: [] },
  ]);
});
