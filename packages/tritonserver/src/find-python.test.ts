import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { choosePython, probePython, type PythonFacts, pythonCandidates } from "./find-python.ts";

const complete: PythonFacts = {
  path: "/usr/bin/python3.11",
  version: "3.11",
  machine: "x86_64",
  glibc: "2.36",
  libraryName: "libpython3.11.so.1.0",
  libraryFolder: "/usr/lib/x86_64-linux-gnu",
  canMakeEnvironments: true,
};
const withoutLibrary: PythonFacts = { ...complete, path: "/opt/pyenv/python3", libraryFolder: undefined };

test("an interpreter without its shared library is skipped", () => {
  expect(choosePython([withoutLibrary, complete])).toEqual({ kind: "usable", python: complete });
});

test.each([
  [
    [withoutLibrary],
    "/opt/pyenv/python3 (Python 3.11) lacks its shared library libpython3.11.so.1.0",
    "apt-get install libpython3.11",
  ],
  [
    [{ ...complete, canMakeEnvironments: false }],
    "/usr/bin/python3.11 (Python 3.11) lacks its venv module with ensurepip",
    "apt-get install python3.11-venv",
  ],
  [
    [{ ...withoutLibrary, canMakeEnvironments: false }],
    "/opt/pyenv/python3 (Python 3.11) lacks its shared library libpython3.11.so.1.0 and its venv module with ensurepip",
    "apt-get install libpython3.11 python3.11-venv",
  ],
  [
    [],
    "Triton's wheel needs Python 3.10, 3.11, 3.12; no Python was found",
    "apt-get install python3.11 python3.11-venv libpython3.11 (or the same packages for another of these versions)",
  ],
  [
    [{ ...complete, version: "3.13", path: "/usr/bin/python3" }],
    "Triton's wheel needs Python 3.10, 3.11, 3.12; /usr/bin/python3 is 3.13",
    "apt-get install python3.11 python3.11-venv libpython3.11 (or the same packages for another of these versions)",
  ],
  [
    [{ ...complete, glibc: "2.31" }],
    "Triton's wheel needs x86_64 with glibc 2.35 or newer; this is x86_64 with glibc 2.31",
    "use a newer system, such as Debian 12 or Ubuntu 22.04",
  ],
  [
    [{ ...complete, machine: "aarch64", glibc: undefined }],
    "Triton's wheel needs x86_64 with glibc 2.35 or newer; this is aarch64 with another C library",
    "use a newer system, such as Debian 12 or Ubuntu 22.04",
  ],
])("%j is refused", (found, reason, help) => {
  expect(choosePython(found)).toEqual({ kind: "unusable", reason, help });
});

test("the system's interpreters are tried before those in PATH, and each only once", () => {
  const candidates = pythonCandidates({ PATH: "/opt/pyenv/shims::/usr/bin" });
  expect(candidates[0]).toBe("/usr/bin/python3.12");
  expect(candidates.indexOf("/usr/bin/python3.11")).toBeLessThan(
    candidates.indexOf("/opt/pyenv/shims/python3.12"),
  );
  expect(new Set(candidates).size).toBe(candidates.length);
});

test("a program that may not be executed is named", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, "python3");
  await writeFile(path, "", { mode: 0o644 });
  expect(await probePython(path)).toBe("may not be executed");
  expect(choosePython([], [`${path} may not be executed`])).toMatchObject({
    reason: `Triton's wheel needs Python 3.10, 3.11, 3.12; ${path} may not be executed`,
  });
});

test("a program that is not Python is ignored", async () => {
  expect(await probePython(process.execPath)).toBeUndefined();
  expect(await probePython("/no/such/python3")).toBeUndefined();
});
