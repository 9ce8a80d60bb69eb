import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { valuesOf } from "@tritype/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadPythonModel, outputsOf, requestOf } from "../../../../test/environment/python-model.ts";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { temporaryFolder } from "../../../../test/triton/judge.ts";

const teller = `
import os, sys
import numpy as np
import triton_python_backend_utils as pb_utils
class TritonPythonModel:
    def execute(self, requests):
        texts = [sys.prefix, os.environ["VIRTUAL_ENV"], os.environ["PATH"].split(os.pathsep)[0]]
        return [pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array(texts, dtype=object))]) for _ in requests]
`;
const named = (path: string) => ({ parameters: { EXECUTION_ENV_PATH: { string_value: path } } });

/** A virtual environment that uses numpy from the tests' Python. */
const makeEnvironment = async (): Promise<string> => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const path = join(folder.path, "environment");
  const python = await pythonWithNumpy();
  const run = promisify(execFile);
  await run(python, ["-m", "venv", "--without-pip", path]);
  const { stdout } = await run(python, ["-c", "import numpy; print(numpy.__path__[0])"]);
  const { stdout: site } = await run(join(path, "bin", "python3"), [
    "-c",
    "import site; print(site.getsitepackages()[0])",
  ]);
  await symlink(stdout.trim(), join(site.trim(), "numpy"));
  await symlink(`${stdout.trim()}.libs`, join(site.trim(), "numpy.libs"));
  return path;
};

test("a model runs in the environment that it names, with a single notice", async () => {
  const path = await makeEnvironment();
  const { model, notices } = await loadPythonModel(teller, named(path), { command: "/no/such/python" });
  const [result] = await model.execute([requestOf({})]);
  const texts = outputsOf(result).get("Y");
  expect(texts && valuesOf(texts)).toEqual([path, path, join(path, "bin")]);
  expect(notices).toEqual([
    expect.stringMatching(
      /^Python models run on .*\/environment\/bin\/python3 \(Python 3\.\d+\.\d+, numpy .*\)$/,
    ),
  ]);
});

describe("an unusable environment is refused with the reason", () => {
  test.each([
    ["/no/such/folder", "model/failed", "Failed to get the canonical path for /no/such/folder."],
    [
      "$$TRITON_MODEL_DIRECTORY/none//x",
      "model/failed",
      expect.stringMatching(/^Failed to get the canonical path for \/.*\/none\/\/x\.$/),
    ],
    [
      "$$TRITON_MODEL_DIRECTORY/../none",
      "model/failed",
      expect.stringMatching(/^Failed to get the canonical path for [^.]*\/none\.$/),
    ],
    [
      "$$TRITON_MODEL_DIRECTORY/none/../1",
      "model/failed",
      expect.stringMatching(/^Failed to get the canonical path for \/.*\/none\/\.\.\/1\.$/),
    ],
    [
      "$$TRITON_MODEL_DIRECTORY/1/model.py",
      "repository/invalid",
      "model 'm' names EXECUTION_ENV_PATH '$$TRITON_MODEL_DIRECTORY/1/model.py', which is not a folder: archives are not unpacked here",
    ],
    [
      "$$TRITON_MODEL_DIRECTORY/1",
      "model/failed",
      expect.stringMatching(
        /^Path \/.*\/1\/bin\/activate does not exist\. The Python environment should contain an 'activate' script\.$/,
      ),
    ],
  ])("%s", async (path, code, message: unknown) => {
    await expect(loadPythonModel(teller, named(path))).rejects.toMatchObject({ code, message });
  });

  test("an environment whose Python lacks numpy is refused", async () => {
    const folder = await temporaryFolder();
    onTestFinished(folder.remove);
    const programs = join(folder.path, "bin");
    await mkdir(programs);
    const python = await pythonWithNumpy();
    await writeFile(join(programs, "python3"), `#!/bin/sh\nexec "${python}" -I -S "$@"\n`, { mode: 0o755 });
    await writeFile(join(programs, "activate"), "");
    await expect(loadPythonModel(teller, named(folder.path))).rejects.toMatchObject({
      code: "tool/missing",
      message: expect.stringContaining("Python models need numpy"),
    });
  });
});
