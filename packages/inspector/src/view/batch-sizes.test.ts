import { expect, test } from "vitest";
import type { Live } from "../api.ts";
import { batchSizesOf } from "./batch-sizes.ts";

const none = {
  success: 0,
  failed: 0,
  rows: 0,
  executions: 0,
  took: 0,
  queue: 0,
  compute: 0,
  hits: 0,
  misses: 0,
};
const at = (seconds: number, ...batches: readonly (readonly [size: number, executions: number])[]): Live => ({
  at: seconds * 1000,
  facts: [],
  models: [{ ...none, model: "m", version: "1", batches }],
});

test("each interval has the sizes that formed in it", () => {
  const looks = [at(1, [1, 5]), at(2, [1, 6], [4, 3]), at(3, [1, 6], [4, 3]), at(4, [1, 6], [4, 5])];
  expect(batchSizesOf(looks, "m")).toEqual({
    rows: ["1", "4"],
    cells: [
      { from: 1, to: 2, row: 0, executions: 1, share: 0.25 },
      { from: 1, to: 2, row: 1, executions: 3, share: 0.75 },
      { from: 3, to: 4, row: 1, executions: 2, share: 1 },
    ],
    recent: [
      [4, 5],
      [1, 1],
    ],
  });
});

test("sizes that are no longer recent are still in the chart", () => {
  const looks = [at(0), at(1, [2, 1]), ...[2, 3, 4, 5, 6].map((second) => at(second, [2, 1]))];
  expect(batchSizesOf(looks, "m")).toMatchObject({ rows: ["2"], recent: [] });
});

test("many sizes are shown as ranges", () => {
  const sizes = Array.from({ length: 40 }, (_, i) => [i + 1, 1] as const);
  const { rows, cells } = batchSizesOf([at(0), at(1, ...sizes)], "m");
  expect(rows).toEqual(["1", "2", "3–4", "5–8", "9–16", "17–32", "33–64"]);
  expect(cells.map(({ executions }) => executions)).toEqual([1, 1, 2, 4, 8, 16, 8]);
});

test("after a restart of the server, the counters begin at 0 again", () => {
  const { cells } = batchSizesOf([at(0, [2, 90]), at(1, [2, 3])], "m");
  expect(cells).toEqual([{ from: 0, to: 1, row: 0, executions: 3, share: 1 }]);
});

test("a model that was not loaded at first has no sizes", () => {
  expect(batchSizesOf([{ at: 0, facts: [], models: [] }, at(1, [2, 3])], "m")).toEqual({
    rows: [],
    cells: [],
    recent: [],
  });
});
