import { expect, test } from "vitest";
import { guessHelp } from "./guess-help.ts";

test("suggests a known name that is close; otherwise shows the help it was passed", () => {
  expect(guessHelp("maxQueueDelayMicros", ["maxQueueDelay", "priorityLevels"], "")).toBe(
    "did you mean `maxQueueDelay`?",
  );
  expect(guessHelp("zebra", ["cat", "dog"], "use cat or dog")).toBe("use cat or dog");
});
