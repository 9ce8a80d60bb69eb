import { expect, test } from "vitest";
import { exportCommand } from "./export-command.ts";

test.each([
  ["sentence-similarity", "feature-extraction"],
  ["text-classification", "text-classification"],
  ["summarization", "text2text-generation-with-past"],
  ["robotics", "auto"],
  [undefined, "auto"],
])("the hub's task %s becomes %s for optimum-cli", (task, called) => {
  expect(exportCommand("owner/name", task, "exports/name")).toBe(
    `optimum-cli export onnx --model owner/name --task ${called} exports/name/`,
  );
});
