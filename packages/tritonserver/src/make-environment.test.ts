import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeEnvironment } from "./make-environment.ts";

/** A Python that creates environments with itself, and writes down what it runs. */
const fakePython = (folder: string): string => `#!/bin/sh
case "$*" in
  "-I -S -c "*) shift 5; exec "$@" ;;
  *" -m venv "*) mkdir -p ${folder}/environment/bin ${folder}/environment/lib/python3/site-packages && cp "$0" ${folder}/environment/bin/python ;;
esac
echo "$@" >>${folder}/log
`;

/** The first words of the calls that create an environment. */
const callsOf = async (extending?: string): Promise<readonly string[]> => {
  const folder = mkdtempSync(join(tmpdir(), "make-environment-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [python, environment] = [join(folder, "python3"), join(folder, "environment")];
  writeFileSync(python, fakePython(folder));
  chmodSync(python, 0o755);
  await makeEnvironment({
    python,
    folder: environment,
    requirements: ["numpy==1.26.4"],
    ...(extending === undefined ? {} : { extending }),
    help: "",
    notice: () => {},
  });
  const calls = readFileSync(join(folder, "log"), "utf8").trimEnd().split("\n");
  return calls.map((call) => call.split(" ").slice(0, 4).join(" ").replace(environment, "…"));
};

describe.skipIf(process.platform !== "linux")("an environment", () => {
  test("Python imports nothing from the current folder", async () => {
    expect(await callsOf()).toEqual(["-I -m venv …", "-I -m pip install"]);
  });

  test("on top of another one, it uses the other one's pip", async () => {
    expect(await callsOf("/another/site-packages")).toEqual([
      "-I -m venv --without-pip",
      "-I -m pip install",
    ]);
  });
});
