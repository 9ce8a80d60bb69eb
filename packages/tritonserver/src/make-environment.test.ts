import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeEnvironment } from "./make-environment.ts";

/** A Python that creates environments with itself, and writes down what it runs. */
const fakePython = (folder: string): string => `#!/bin/sh
case "$*" in
  "-I -S -c "*) shift 5; exec "$@" ;;
  *" -m venv "*) mkdir -p ${folder}/environment/bin && cp "$0" ${folder}/environment/bin/python ;;
esac
echo "$@" >>${folder}/log
`;

test.skipIf(process.platform !== "linux")("Python imports nothing from the current folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "make-environment-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [python, environment] = [join(folder, "python3"), join(folder, "environment")];
  writeFileSync(python, fakePython(folder));
  chmodSync(python, 0o755);
  await makeEnvironment({
    python,
    folder: environment,
    requirements: ["numpy==1.26.4"],
    help: "",
    notice: () => {},
  });
  const calls = readFileSync(join(folder, "log"), "utf8").trimEnd().split("\n");
  expect(calls.map((call) => call.split(" ").slice(0, 3).join(" "))).toEqual(["-I -m venv", "-I -m pip"]);
});
