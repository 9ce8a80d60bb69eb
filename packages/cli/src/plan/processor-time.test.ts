import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { processorTimeOf } from "./processor-time.ts";

test("the processor time of a process includes its children", async () => {
  // The shell waits for its child, which computes for half a second.
  const work =
    "const end = Date.now() + 500; while (Date.now() < end); console.log(1); setTimeout(() => 0, 1e6)";
  const shell = spawn("sh", ["-c", `"$0" -e '${work}'; true`, process.execPath], { detached: true });
  onTestFinished(() => void process.kill(-(shell.pid as number), "SIGKILL"));
  await once(shell.stdout, "data");
  const { own, children } = processorTimeOf(shell.pid as number) ?? { own: 0, children: 0 };
  expect(children).toBeGreaterThan(100_000);
  expect(own).toBeGreaterThan(0);
});

test("the processor time of a process that has ended is undefined", () => {
  expect(processorTimeOf(2 ** 30)).toBeUndefined();
});
