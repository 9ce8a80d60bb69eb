import { expect, it } from "vitest";
import { decodeModel, encodeModel } from "./codec.ts";
import { usedOperators } from "./used-operators.ts";

const input = (index: number, dtype: string, ...nodes: readonly string[]) => ({ index, dtype, nodes });

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
          { opType: "Relu", domain: "ai.onnx", input: ["a"], output: ["b"], name: "last" },
          { opType: "Add", input: ["b", "x"], output: ["s"] },
          { opType: "Add", input: ["s", "x"], output: ["t"] },
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
    { domain: "", name: "Relu", version: 17, typed: [input(0, "INT8", "a"), input(0, "FP32", "last")] },
    { domain: "", name: "Add", version: 17, typed: [input(1, "INT8", "s", "t")] },
    { domain: "", name: "If", version: 17, typed: [input(0, "BOOL", "d")] },
    { domain: "com.microsoft", name: "Gelu", version: 1, typed: [input(0, "INT8", "g")] },
    { domain: "other", name: "Foo", version: undefined, typed: [] },
    { domain: "", name: "Mish", version: 18, typed: [] },
  ]);
});
