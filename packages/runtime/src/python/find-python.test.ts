import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { pythonWithNumpy } from "../../../../test/environment/python.ts";
import { loadPythonModel } from "../../../../test/environment/python-model.ts";
import { findPython } from "./find-python.ts";

test("a command is resolved to the interpreter that it runs", async () => {
  const python = await pythonWithNumpy();
  expect(await findPython(python)).toBe(python);
});

test("a path that is not ASCII is read correctly in any encoding of Python's output", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-jürgen-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const command = join(folder, "python3");
  await symlink(await pythonWithNumpy(), command);
  // As with a code page of Windows.
  vi.stubEnv("PYTHONIOENCODING", "latin-1");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await findPython(command)).toBe(command);
});

test("without Python, the message lists the commands that were tried and says what to do", async () => {
  await expect(findPython("no-such-python")).rejects.toMatchObject({
    code: "tool/missing",
    message: "No Python 3.8 or newer was found (tried: no-such-python)",
    help: expect.stringContaining("TRITYPE_PYTHON"),
  });
});

test.each([
  ["a file without permission to run", "", 0o644, "may not be executed"],
  [
    "Python 3.6",
    "#!/bin/sh\necho /usr/bin/python3; echo is Python 3.6.9 >&2; exit 1\n",
    0o755,
    "is Python 3.6.9",
  ],
  ["another program", "#!/bin/sh\nexit 3\n", 0o755, "does not run Python code"],
])("for %s, the message says why it is not used", async (_, content, mode, why) => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const command = join(folder, "python3");
  await writeFile(command, content, { mode });
  await expect(findPython(command)).rejects.toMatchObject({
    code: "tool/missing",
    message: `No Python 3.8 or newer was found (tried: ${command}, which ${why})`,
  });
});

test.each([
  ["import tokenizers", "tokenizers", "tokenizers"],
  ["from PIL import Image", "PIL", "pillow"],
  ["import cv2", "cv2", "opencv-python-headless"],
])("if a package is missing, `%s` names the command that installs it", async (code, module, name) => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const python = await pythonWithNumpy();
  await promisify(execFile)(python, ["-m", "venv", "--without-pip", folder]);
  const command = join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  // Contains only numpy, from the interpreter that has it.
  const { stdout } = await promisify(execFile)(python, [
    "-c",
    "import numpy, sys; sys.stdout.write(numpy.__path__[0])",
  ]);
  const packages = await packagesOf(command);
  for (const part of ["numpy", "numpy.libs"])
    await symlink(join(dirname(stdout), part), join(packages, part));
  await expect(loadPythonModel(code, {}, { command })).rejects.toMatchObject({
    code: "model/failed",
    message: expect.stringMatching(`^ModuleNotFoundError: No module named '${module}'`),
    help: `run: ${command} -m pip install ${name} (or set TRITYPE_PYTHON to an interpreter that has it)`,
  });
});

test("without numpy, the message names the command that installs it; a compiled numpy is kept", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await promisify(execFile)(await pythonWithNumpy(), ["-m", "venv", "--without-pip", folder]);
  const command = join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  await expect(loadPythonModel("class TritonPythonModel: pass", {}, { command })).rejects.toMatchObject({
    code: "tool/missing",
    message: `Python models need numpy, which ${command} cannot import: No module named 'numpy'`,
    help: `run: ${command} -m pip install numpy (or set TRITYPE_PYTHON to an interpreter that has it)`,
  });

  const numpy = join(await packagesOf(command), "numpy");
  await mkdir(numpy);
  await writeFile(join(numpy, "__init__.py"), 'raise ImportError("it is broken")\n');
  await expect(loadPythonModel("class TritonPythonModel: pass", {}, { command })).rejects.toMatchObject({
    message: `Python models need numpy, which ${command} cannot import: it is broken`,
  });
  expect(await readdir(join(numpy, "__pycache__"))).toEqual([expect.stringMatching(/^__init__\..*\.pyc$/)]);
});

/** The folder of a Python's packages. */
const packagesOf = async (command: string): Promise<string> => {
  const code = "import site, sys; sys.stdout.write(site.getsitepackages()[0])";
  return (await promisify(execFile)(command, ["-c", code])).stdout;
};
