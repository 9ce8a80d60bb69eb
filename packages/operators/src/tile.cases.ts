import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { size, sizeOrNone, withAxis } from "./layouts.fixture.ts";
import { axisOf, build, put, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  tile: {
    types: [
      ["BYTES[batch, 4]", { axis: 1, times: 3 }, "BYTES[batch, 12]"],
      ["FP32[batch, n]", { axis: "n", times: 3 }, "FP32[batch, -1]"],
      ["FP32[batch, n]", { axis: "n", times: 1 }, "FP32[batch, n]"],
    ],
    problems: [
      [
        "FP32[4]",
        { axis: 0, times: 0 },
        "operator/bad-option: tile must repeat a whole number of times, at least 1, got 0",
      ],
    ],
    batch: [
      ["FP32[batch, 4]", { axis: 0, times: 2 }, "0 repeats"],
      ["FP32[batch, 4]", { axis: -1, times: 2 }, ""],
    ],
    nodes: [["FP32[batch, 2]", { axis: 1, times: 3 }, ["Tile(x0, INT64{1 3})", "→ %1"]]],
    dtypes: runnable,
    layout: withAxis(() => size.map((times) => ({ times })), sizeOrNone),
    reference: (operands, { axis, times }) => {
      const x = operandAt(operands, 0);
      const at = axisOf({ axis: axis ?? 0 }, x.dims.length);
      const size = x.dims[at] ?? 1;
      return build(x.dims.with(at, size * Number(times)), (index) =>
        read(x, put(index, at, (index[at] ?? 0) % size)),
      );
    },
    example: ({ scores }) => scores.tile(1, 3),
  },
};
