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
  ["ensembles of ensembles follow", ["encoder"], [["embed", "encoder", "search"]]],
  [
    "unchanged models link nothing",
    ["encoder", "head"],
    [
      ["embed", "encoder", "search"],
      ["classify", "head"],
    ],
  ],
  ["a shared model links all", ["tokenize"], [["classify", "embed", "search", "tokenize"]]],
  ["an ensemble alone", ["search"], [["search"]]],
])("%s", (_, changed, groups) => {
  expect(affectedGroups(changed, uses).map((group) => [...group].toSorted())).toEqual(groups);
});
