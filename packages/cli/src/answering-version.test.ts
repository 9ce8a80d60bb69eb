import { expect, test } from "vitest";
import { answeringVersion } from "./answering-version.ts";

test.each([
  [[], undefined],
  [["1"], "1"],
  [["9", "10", "2"], "10"],
  [["9007199254740993", "9007199254740992"], "9007199254740993"],
  [["main"], "main"],
  [["1", "main"], undefined],
  [["", "2"], undefined],
])("of the versions %j, %j answers", (versions, answers) => {
  expect(answeringVersion(versions)).toBe(answers);
});
