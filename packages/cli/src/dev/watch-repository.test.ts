import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Terminal } from "../terminal.ts";
import type { ServedBuild } from "./served-build.ts";
import { watchRepository } from "./watch-repository.ts";

const refused = () => Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
// As for a folder with mode 711, which root may list. The watcher itself uses node:fs/promises.
vi.mock("node:fs", async (load) => {
  const fs = await load<typeof import("node:fs")>();
  const readdirSync = (path: string): unknown => {
    if (path.endsWith("-unlisted")) throw refused();
    return fs.readdirSync(path);
  };
  return { ...fs, readdirSync };
});

test("a repository in a folder that may not be listed is reloaded", async () => {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), "tritype-watch-")));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const repository = join(parent, "models-unlisted", "repository");
  mkdirSync(repository, { recursive: true });
  let reloads = 0;
  const served: ServedBuild = {
    reload: async () => {
      reloads++;
      return "same";
    },
    sayStillServing: () => undefined,
    time: () => "",
  };
  const watching = watchRepository(repository, served, {} as Terminal);
  // Once the watcher is ready, it reports a possible change.
  await expect.poll(() => reloads, { timeout: 5000 }).toBe(1);
  writeFileSync(join(repository, "config.pbtxt"), "");
  await expect.poll(() => reloads, { timeout: 5000 }).toBe(2);
  await watching.close();
});
