import { chmodSync } from "node:fs";
import { expect, test } from "vitest";
import { startPipeline } from "./run-pipeline.ts";
import { project } from "./small-project.ts";

const free = ["--http-port", "0", "--grpc-port", "0", "--metrics-port", "0"];

test.each<readonly [number, readonly string[]]>([
  [40, ["build"]],
  [64, ["build"]],
  [64, ["dev", ...free]],
])("a limit of %i open files is reported as such: pipeline %j", async (limit, args) => {
  const small = project();
  small.write("node.sh", `#!/bin/sh\nulimit -n ${limit}\nexec "${process.execPath}" "$@"\n`);
  chmodSync(small.path("node.sh"), 0o755);
  const { code, err } = await startPipeline(small, args, { node: small.path("node.sh") }).ended;
  expect(code).toBe(2);
  expect(err).toContain(`: this process may only open ${limit} files at a time, which is not enough
  = help: raise the limit before you run it: ulimit -n 4096
`);
  expect(err).not.toMatch(/Error:|^ +at /m);
});

test.runIf(process.platform === "linux")(
  "a home folder below /proc ends `triton install` at once",
  async () => {
    const env = { HOME: "/proc/1", TRITYPE_CACHE: "", XDG_CACHE_HOME: "" };
    const { code, err } = await startPipeline(project(), ["triton", "install"], { env }).ended;
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("error[file/not-writable]: cannot write to /proc/1/.cache/tritype/triton: "),
    ]);
    expect(err).toContain("set TRITYPE_CACHE to a writable folder");
  },
);
