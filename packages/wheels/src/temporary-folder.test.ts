import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const built = new URL("../dist/temporary-folder.js", import.meta.url).href;

/** How a process that runs this code ends, perhaps after a signal, and how many folders it leaves. */
const ended = async (code: string, signal?: NodeJS.Signals, before = "") => {
  const parent = mkdtempSync(join(tmpdir(), "folders-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const script = `import { temporaryFolder } from ${JSON.stringify(built)};
${before}
const folder = temporaryFolder("a-", ${JSON.stringify(parent)});
${code}
process.stdout.write("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  await once(child.stdout, "data");
  if (signal !== undefined) child.kill(signal);
  const [status, by] = await exit;
  return { by: by ?? status, left: readdirSync(parent).length };
};

test.each<NodeJS.Signals>(["SIGINT", "SIGTERM", "SIGHUP"])("%s removes the folders", async (signal) => {
  expect(await ended("setInterval(() => {}, 1000);", signal)).toEqual({ by: signal, left: 0 });
});

test("folders are removed when the process exits, and a removed folder leaves no listeners behind", async () => {
  expect(await ended("setTimeout(() => process.exit(3), 50);")).toEqual({ by: 3, left: 0 });
  expect(
    await ended(
      "folder.remove(); setTimeout(() => process.exit(process.listenerCount('SIGINT') + process.listenerCount('exit')), 50);",
    ),
  ).toEqual({ by: 0, left: 0 });
});

test("if others listen for the signal, they decide when the process exits", async () => {
  const code =
    "process.on('SIGINT', () => setTimeout(() => process.exit(4), 50)); setInterval(() => {}, 1000);";
  expect(await ended(code, "SIGINT")).toEqual({ by: 4, left: 0 });
});

test("so do listeners that were added before the folder, and that remove themselves when they run", async () => {
  const before = "process.once('SIGINT', () => setTimeout(() => process.exit(4), 50));";
  expect(await ended("setInterval(() => {}, 1000);", "SIGINT", before)).toEqual({ by: 4, left: 0 });
});

test("a released folder does not keep Ctrl-C from ending code that never returns", async () => {
  const code = "folder.release(); process.stdout.write('ready'); for (;;);";
  expect(await ended(code, "SIGINT")).toEqual({ by: "SIGINT", left: 1 });
});

test("the path is a real path, even if the system's temporary folder is a link, as on macOS", () => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "folders-")));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  mkdirSync(join(parent, "private"));
  symlinkSync("private", join(parent, "tmp"));
  const { path, remove } = temporaryFolder("a-", join(parent, "tmp"));
  expect(dirname(path)).toBe(join(parent, "private"));
  remove();
  expect(readdirSync(join(parent, "private"))).toEqual([]);
});
