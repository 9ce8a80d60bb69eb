import { expect, test } from "vitest";
import { findings } from "../ensemble-rules/findings.fixture.ts";
import { sequenceCases } from "./sequence-cases.fixture.ts";
import { sequenceRules } from "./sequence-rules.ts";

test.each(Object.entries(sequenceCases))("%s", (_, { files, says }) => {
  expect(findings(files, sequenceRules)).toEqual(says);
});

test("a state's file may be missing where only texts are judged, but not be too short", () => {
  const judge = (title: string) =>
    findings(sequenceCases[title]?.files ?? {}, sequenceRules, { configsOnly: true });
  expect(judge("state from no file")).toEqual([]);
  expect(judge("state from a shorter file")).toEqual(sequenceCases["state from a shorter file"]?.says);
});
