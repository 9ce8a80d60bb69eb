import { expect, test } from "vitest";
import { fittingSamples } from "./smoke-file.ts";

const measured = (size: number) => ({
  medianMilliseconds: 1,
  samples: [{ inputs: { x: { datatype: "UINT8", shape: [size], data: "A".repeat(size) } }, outputs: {} }],
});

test("the samples of the largest ensembles are left out until the others fit; the order stays", () => {
  const all = {
    large: measured(150_000),
    none: { unchecked: "has no samples" },
    small: measured(60_000),
    tiny: measured(10),
  };
  expect(fittingSamples(all)).toEqual({
    ...all,
    large: { unchecked: "has 150 kB of samples, too many for the chart" },
  });
  expect(Object.keys(fittingSamples(all))).toEqual(Object.keys(all));
  const fits = { large: measured(150_000), tiny: measured(10) };
  expect(fittingSamples(fits)).toEqual(fits);
});
