import { expect, it } from "vitest";
import { infer } from "./written-operands.fixture.ts";
import type { Attributes } from "./index.ts";

type Wrong = [operator: string, operands: string, attributes: Attributes, problem: string];

it.each<Wrong>([
  [
    "einsum",
    "FP32[1, 3]",
    { equation: "ii->i" },
    "shape/dim-mismatch: the label i is 1 in FP32[1, 3] and 3 in FP32[1, 3]",
  ],
  [
    "einsum",
    "FP32[batch, 4] ; FP32[batch, 5]",
    { equation: "bi,bi->b" },
    "shape/dim-mismatch: the label i is 4 in FP32[batch, 4] and 5 in FP32[batch, 5]",
  ],
  [
    "einsum",
    "FP32[batch, seq#1] ; FP32[batch, seq#2]",
    { equation: "bi,bi->b" },
    "shape/dim-mismatch: the label i is seq in FP32[batch, seq] and seq in FP32[batch, seq]",
  ],
  [
    "einsum",
    "FP32[batch, 4] ; FP16[batch, 4]",
    { equation: "bi,bi->b" },
    "dtype/mismatch: FP32[batch, 4] and FP16[batch, 4] have different dtypes: ONNX never promotes, so cast one of them",
  ],
  [
    "einsum",
    "FP32[batch, 4]",
    { equation: "b->b" },
    "shape/rank-mismatch: FP32[batch, 4] has 2 axes, `b` names 1",
  ],
  [
    "einsum",
    "FP32[batch]",
    { equation: "...bi->...b" },
    "shape/rank-mismatch: FP32[batch] has 1 axis, `...bi` names 2 or more",
  ],
  [
    "einsum",
    "FP32[batch, 4]",
    { equation: "bi,bi->b" },
    'shape/bad-equation: "bi,bi->b" names 2 tensors, got 1',
  ],
  [
    "einsum",
    "FP32[batch, 4]",
    { equation: "bi->bo" },
    'shape/bad-equation: "bi->bo" has the label o in its result, but in no tensor',
  ],
  [
    "einsum",
    "FP32[batch, 4]",
    { equation: "bi->bb" },
    'shape/bad-equation: "bi->bb" has the label b twice in its result',
  ],
  [
    "einsum",
    "FP32[batch, 4]",
    { equation: "...i->i" },
    'shape/bad-equation: "...i->i" has an ellipsis in a tensor, but not in its result: einsum does not sum axes without a label',
  ],
  [
    "einsum",
    "FP32[batch, 4]",
    { equation: "bi->...b" },
    'shape/bad-equation: "bi->...b" has an ellipsis in its result, but in no tensor',
  ],
  ...["b1->b", "bi->b->b", "b..i->b", "......->...", "b;i->b"].map(
    (equation): Wrong => [
      "einsum",
      "FP32[batch, 4]",
      { equation },
      `shape/bad-equation: "${equation}" is not a list of terms: one letter per axis, a comma between tensors, -> before the result`,
    ],
  ),
  ["einsum", "FP32[4]", { equation: 7 }, "shape/bad-equation: 7 is not a string"],
])("%s %s %j → %s", (operator, operands, attributes, expected) => {
  expect(infer(operator, operands, attributes)).toBe(expected);
});
