import { expect, test } from "vitest";
import { affectedGroups } from "./affected-groups.ts";

const uses = new Map([
  ["search", ["embed", "rank"]],
  ["embed", ["tokenize", "encoder"]],
  ["classify", ["tokenize", "head"]],
]);

test.each([
  ["nothing", [], []],
  ["a model that no ensemble uses", ["other"], [["other"]]],
  ["ensembles of ensembles are included", ["encoder"], [["embed", "encoder", "search"]]],
  [
    "unchanged models do not link groups",
    ["encoder", "head"],
    [
      ["embed", "encoder", "search"],
      ["classify", "head"],
    ],
  ],
  ["a shared model links all its ensembles", ["tokenize"], [["classify", "embed", "search", "tokenize"]]],
  ["an ensemble alone", ["search"], [["search"]]],
])("%s", (_, changed, groups) => {
  expect(affectedGroups(changed, uses).map((group) => [...group].toSorted())).toEqual(groups);
});
