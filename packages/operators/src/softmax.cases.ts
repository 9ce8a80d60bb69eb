import * as fc from "fast-check";
import { floats } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { withAxis } from "./layouts.fixture.ts";
import { along, axisOf, build, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  softmax: {
    types: [["FP32[batch, 3]", { axis: -1 }, "FP32[batch, 3]"]],
    problems: [["FP32[4]", { axis: 0.5 }, "axis/unknown: an axis must be a name or a whole number, got 0.5"]],
    batch: [["FP32[batch, 4]", { axis: -2 }, "0 normalizes over"]],
    padding: [
      ["FP32[batch, seq=-Infinity]", { axis: 1 }, [undefined, 0]],
      ["FP32[batch, seq=0]", { axis: 1 }, [undefined, undefined]],
    ],
    ignoresPadding: [
      ["FP32[batch, seq=-Infinity]", { axis: 1 }, true],
      ["FP32[batch, seq=0]", { axis: 1 }, false],
    ],
    dtypes: floats,
    layout: withAxis(() => fc.constant({})),
    reference: (operands, attributes) => {
      const x = operandAt(operands, 0);
      const { dims } = x;
      const axis = axisOf(attributes, dims.length);
      return build(dims, (index) => {
        const elements = along(x, index, axis) as number[];
        const top = Math.max(...elements);
        const sum = elements.reduce((a, b) => a + Math.exp(b - top), 0);
        return Math.exp(Number(read(x, index)) - top) / sum;
      });
    },
    example: ({ scores }) => scores.softmax(-1),
  },
};
