import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processMark } from "@tritype/wheels";
import { afterAll, expect, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { pipeline, pipelineProcess, startPipeline } from "./run-pipeline.ts";
import { pipelineSource, project } from "./small-project.ts";

/** Adds a model, changes two, and deletes one. */
const changedSource = pipelineSource
  .replaceAll('"double"', '"twice"')
  .replace("maxBatchSize: 8", "maxBatchSize: 16");

type Content = Readonly<Record<string, string>>;

/** The content of a build's output by path, without files that a killed build left behind. */
const content = (folder: string): Content =>
  Object.fromEntries(
    filesBelow(folder)
      .filter((file) => !file.startsWith(".staging-") && !file.startsWith(".lock"))
      .map((file) => [file, readFileSync(join(folder, file), "base64")]),
  );
const traces = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith(".") && name !== ".dockerignore");

/** The output of builds of the two sources, made once for all tests. */
let built: Promise<{ readonly before: string; readonly wanted: Content }> | undefined;
const kept = mkdtempSync(join(tmpdir(), "tritype-built-"));
afterAll(() => rmSync(kept, { recursive: true, force: true }));

const buildBoth = async (): Promise<{ readonly before: string; readonly wanted: Content }> => {
  const small = project();
  await pipeline(small, ["build"]);
  const before = join(kept, "before");
  cpSync(small.path("build"), before, { recursive: true, preserveTimestamps: true });
  small.write("pipeline.ts", changedSource);
  rmSync(small.path("build"), { recursive: true });
  await pipeline(small, ["build"]);
  return { before, wanted: content(small.path("build")) };
};

/** A built project whose source has changed since; `wanted` is the expected output of the next build. */
const changedProject = async (): Promise<{
  readonly small: ProjectFixture;
  readonly build: string;
  readonly before: Content;
  readonly wanted: Content;
}> => {
  const { before, wanted } = await (built ??= buildBoth());
  const small = project({ "pipeline.ts": changedSource });
  const build = small.path("build");
  cpSync(before, build, { recursive: true, preserveTimestamps: true });
  return { small, build, before: content(build), wanted };
};

const expectModelsOnly = (build: string, names: readonly string[]): void =>
  expect(readdirSync(join(build, "model_repository")).toSorted()).toEqual(names);

test.each([
  ["SIGKILL", "writeFileSync:1:SIGKILL"],
  ["SIGKILL", "writeFileSync:4:SIGKILL"],
  ["SIGINT", "writeFileSync:3:SIGINT"],
  ["SIGTERM", "writeFileSync:3:SIGTERM"],
] as const)(
  "%s while it stages (%s) leaves the previous build, and the next one cleans up",
  async (signal, fault) => {
    const { small, build, before, wanted } = await changedProject();
    const killed = await pipelineProcess(small, ["build"], { fault });
    expect(killed).toMatchObject({ code: null, signal, err: "" });
    expect(content(build)).toEqual(before);
    expectModelsOnly(build, ["double", "total", "total_sum"]);
    expect(traces(build).filter((name) => name.startsWith(".staging-"))).toHaveLength(1);
    expect((await pipeline(small, ["build"])).code).toBe(0);
    expect(content(build)).toEqual(wanted);
    expect(traces(build)).toEqual([]);
  },
);

test.each([["renameSync:1:SIGKILL"], ["renameSync:3:SIGKILL"], ["linkSync:2:SIGKILL"]])(
  "after a build is killed between its renames (%s), the next build of the old sources restores the old build",
  async (fault) => {
    const { small, build, before, wanted } = await changedProject();
    expect((await pipelineProcess(small, ["build"], { fault })).signal).toBe("SIGKILL");
    small.write("pipeline.ts", pipelineSource);
    const again = await pipeline(small, ["build"]);
    expect(again.err).toContain("nothing changed");
    expect(content(build)).toEqual(before);
    small.write("pipeline.ts", changedSource);
    expect((await pipeline(small, ["build"])).code).toBe(0);
    expect(content(build)).toEqual(wanted);
    expect(traces(build)).toEqual([]);
  },
);

test("the first build, killed between its renames, does not block the second", async () => {
  const small = project();
  expect((await pipelineProcess(small, ["build"], { fault: "renameSync:3:SIGKILL" })).signal).toBe("SIGKILL");
  expect((await pipeline(small, ["build"])).err).toContain("18 files written, 0 unchanged");
  expect(traces(small.path("build"))).toEqual([]);
});

test("Ctrl-C between the renames does not interrupt them", async () => {
  const { small, build, wanted } = await changedProject();
  const stopped = await pipelineProcess(small, ["build"], { fault: "renameSync:2:SIGINT" });
  expect(stopped.signal ?? stopped.code).toSatisfy((end) => end === "SIGINT" || end === 0);
  expect(content(build)).toEqual(wanted);
  expect(traces(build)).toEqual([]);
});

const ports = ["--http-port", "0", "--grpc-port", "0", "--metrics-port", "0"];
/** `pipeline dev` whose build takes 6 s for its second rename. */
const slowDev = (small: ProjectFixture) =>
  startPipeline(small, ["dev", ...ports], { fault: "renameSync:2:6000" });
const isCommitting = (build: string): boolean =>
  traces(build).some((name) => existsSync(join(build, name, "journal.json")));

test.each([1, 2])(
  "Ctrl-C during the first build of `pipeline dev`, %i times, waits for its renames, even if they take more than 5 s",
  async (times) => {
    const { small, build, wanted } = await changedProject();
    const { child, ended } = slowDev(small);
    await expect.poll(() => isCommitting(build), { interval: 20 }).toBe(true);
    for (let time = 0; time < times; time++) {
      child.kill("SIGINT");
      await sleep(200);
    }
    expect((await ended).signal).toBe("SIGINT");
    expect(content(build)).toEqual(wanted);
    expect(traces(build)).toEqual([]);
  },
);

test("a second Ctrl-C while `pipeline dev` rebuilds ends it, but not between the renames", async () => {
  const { small, build, wanted } = await changedProject();
  small.write("pipeline.ts", pipelineSource);
  const { child, ended, says } = slowDev(small);
  await says(/stop with Ctrl-C/);
  small.write("pipeline.ts", changedSource);
  await expect.poll(() => isCommitting(build), { interval: 20, timeout: 20_000 }).toBe(true);
  child.kill("SIGINT");
  await sleep(200);
  child.kill("SIGINT");
  expect((await ended).signal).toBe("SIGINT");
  expect(content(build)).toEqual(wanted);
});

test.each([
  ["a full disk", "writeFileSync:4:ENOSPC", "no space is left on the disk (ENOSPC)"],
  ["a full disk while it copies weights", "copyFileSync:1:ENOSPC", "no space is left on the disk (ENOSPC)"],
  ["a full disk at the journal", "writeFileSync:5:ENOSPC", "no space is left on the disk (ENOSPC)"],
  ["a rename that fails", "renameSync:3:EACCES", "permission denied (EACCES)"],
])("%s leaves the previous build and reports the reason", async (_, fault, why) => {
  const { small, build, before } = await changedProject();
  const { code, err } = await pipeline(small, ["build"], { fault });
  expect(code).toBe(2);
  expect(err).toContain(`error[file/not-writable]: cannot write to ${build}: ${why}`);
  expect(content(build)).toEqual(before);
  expect(traces(build)).toEqual([]);
  expectModelsOnly(build, ["double", "total", "total_sum"]);
});

test.each([
  "model_repository/total/config.pbtxt",
  "model_repository/total_sum/config.pbtxt",
  "manifest.json",
])(
  "if %s cannot be written, not even to restore it, the rest is unchanged and the path is reported",
  async (path) => {
    const { small, build, before, wanted } = await changedProject();
    const { code, err } = await pipeline(small, ["build"], { fault: `renameSync:build/${path}:EPERM` });
    expect(code).toBe(2);
    expect(err).toContain(
      `error[file/not-writable]: cannot write to ${join(build, path)}: permission denied (EPERM)`,
    );
    expect(content(build)).toEqual(before);
    expect(traces(build)).toEqual([]);
    expect((await pipeline(small, ["build"])).code).toBe(0);
    expect(content(build)).toEqual(wanted);
  },
);

test("a folder at the path of a file is reported, and nothing is written", async () => {
  const { small, build, before } = await changedProject();
  rmSync(join(build, "client/total.js"));
  mkdirSync(join(build, "client/total.js/within"), { recursive: true });
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(2);
  expect(err).toContain(`cannot write to ${join(build, "client/total.js")}: there is a folder where a file`);
  const { ["client/total.js"]: _, ...rest } = before;
  expect(content(build)).toEqual(rest);
  expect(traces(build)).toEqual([]);
});

test("a build killed at any moment leaves either the old build or the new one", async () => {
  const { small, build, before, wanted } = await changedProject();
  const seen = new Set<string>();
  for (const source of [changedSource, pipelineSource]) {
    for (const delay of [150, 400, 700]) {
      small.write("pipeline.ts", source);
      const running = startPipeline(small, ["build"]);
      await sleep(delay);
      running.child.kill("SIGKILL");
      await running.ended;
      const now = JSON.stringify(content(build));
      // If killed during the renames, which take less than a millisecond, the next build restores the old one.
      const open = traces(build).some(
        (name) => name.startsWith(".staging-") && filesBelow(join(build, name)).includes("journal.json"),
      );
      if (!open) expect([JSON.stringify(before), JSON.stringify(wanted)]).toContain(now);
      seen.add(now);
    }
  }
  expect(seen.size).toBeGreaterThan(0);
  small.write("pipeline.ts", changedSource);
  expect((await pipeline(small, ["build"])).code).toBe(0);
  expect(content(build)).toEqual(wanted);
  expect(traces(build)).toEqual([]);
});

test("three parallel builds result in one complete build", async () => {
  const { small, build, wanted } = await changedProject();
  const ends = await Promise.all([1, 2, 3].map(() => pipelineProcess(small, ["build"])));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(ends.filter(({ err }) => err.includes("nothing changed"))).toHaveLength(2);
  expect(content(build)).toEqual(wanted);
  expect(traces(build)).toEqual([]);
});

test("after a restart of a container, in which the build has the ID of the one that was killed, it takes over its lock", async () => {
  const small = project();
  const [machine, boot, started] = processMark.split(".");
  const killed = `${process.pid} on ${hostname()}\n${machine}.${boot}.${Number(started) - 5000}`;
  small.write("build/.lock", killed);
  const began = performance.now();
  const { code, err } = await pipeline(small, ["build"]);
  expect([code, err]).toEqual([0, err]);
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(traces(small.path("build"))).toEqual([]);
});

test("a build waits for the build that holds the lock, and takes over the lock if that build has died", async () => {
  const small = project();
  const holder: ChildProcess = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  small.write("build/.lock", `${holder.pid} on ${hostname()}`);
  const waiting = startPipeline(small, ["build"]);
  await sleep(1500);
  expect(waiting.child.exitCode).toBe(null);
  expect(content(small.path("build"))).toEqual({});
  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect((await waiting.ended).code).toBe(0);
  expect(traces(small.path("build"))).toEqual([]);
});
