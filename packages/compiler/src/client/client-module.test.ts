import { expect, test } from "vitest";
import { printClientTypes } from "./client-module.ts";

test("the name of a size does not end the comment of its tensor", () => {
  const types = printClientTypes({
    name: "embed",
    inputs: { x: { dtype: "FP32", dims: ["batch", "*/ any: () => void; /*"] } },
    outputs: {},
    contractHash: "",
    graph: undefined,
  });
  expect(types).toContain("  /** FP32[batch, *\\/ any: () => void; /*] */\n");
});
