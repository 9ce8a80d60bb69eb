import { expect, onTestFinished, test, vi } from "vitest";
import { createTerminal } from "./terminal.ts";

test.each([
  ["a terminal", true, "model ␛]0;x␇\n"],
  ["a pipe", undefined, "model \u001b]0;x\u0007\n"],
])("control characters in results for %s", (_, isTty, written) => {
  const { isTTY } = process.stdout;
  process.stdout.isTTY = isTty as boolean;
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => {
    process.stdout.isTTY = isTTY;
    write.mockRestore();
  });
  createTerminal().out("model \u001b]0;x\u0007");
  expect(write.mock.calls.map(([text]) => text)).toEqual([written]);
});
