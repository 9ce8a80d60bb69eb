import { expect, test } from "vitest";
import { reasonsByModel, spokenNames } from "./spoken-names.ts";

const files = {
  "outer/config.pbtxt": 'input { name: "IN0" }',
  "inner/config.pbtxt": 'input { name: "K" }',
  "b/config.pbtxt": "",
};

test("a reason that quotes another model's reason is split at that point", () => {
  const start = "ensemble 'outer' depends on 'inner' which is not valid.";
  const quoted = "in ensemble inner, input K in model b is not mapped to any ensemble tensors";
  expect(reasonsByModel("outer", `${start} Model 'inner' failed with error: ${quoted}`)).toEqual([
    ["outer", start],
    ["inner", quoted],
  ]);
  expect(spokenNames(start, files)).toEqual(["outer", "inner"]);
  expect(spokenNames(quoted, files)).toEqual(["inner", "K", "b"]);
});

test("a tensor of an ensemble counts as mentioned", () => {
  const reason =
    "in ensemble outer, ensemble tensor IN0: inconsistent shape: [1] is inferred from model outer";
  expect(spokenNames(reason, files)).toEqual(["outer", "IN0"]);
});
