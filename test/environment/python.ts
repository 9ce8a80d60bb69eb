import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { knownPin, knownVersion } from "../../packages/compiler/src/emit/docker/known-packages.ts";
import { hasEnded } from "../../packages/wheels/src/has-ended.ts";
import { installPackages, uv } from "./python-tool.ts";

const exec = promisify(execFile);

/** The requirements of the tests' Python; the tokenizers version is that of the npm package. */
const requirements = ["numpy>=1.26,<3", knownPin("tokenizers"), "onnxruntime>=1.20"];
const proof = `import numpy, tokenizers, onnxruntime; assert tokenizers.__version__ == '${knownVersion("tokenizers")}'`;

let made: Promise<string> | undefined;

/**
 * Path of a Python that has numpy, tokenizers and onnxruntime: `$TRITYPE_PYTHON` or the machine's own if it has them,
 * otherwise a virtual environment in `$TRITYPE_CACHE/python-test`, created on first use (about 100 MB from PyPI). Test
 * files that run at the same time wait for each other.
 */
export const pythonWithNumpy = (): Promise<string> => (made ??= find());

const find = async (): Promise<string> => {
  const own = process.env["TRITYPE_PYTHON"] || "python3";
  if (await proves(own)) return realPath(own);
  const folder = join(process.env["TRITYPE_CACHE"] ?? tmpdir(), "python-test");
  await mkdir(join(folder, ".."), { recursive: true });
  return whileLocked(`${folder}.lock`, async () => {
    const python = join(folder, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
    const stamp = join(folder, "requirements.txt");
    if ((await readOr(stamp, "")) === requirements.join("\n")) return python;
    await rm(folder, { recursive: true, force: true });
    await makeEnvironment(own, folder, python);
    await writeFile(stamp, requirements.join("\n"));
    return python;
  });
};

/** Debian's venv has no ensurepip; uv does not need it. */
const makeEnvironment = async (own: string, folder: string, python: string): Promise<void> => {
  await exec(await uv(), ["venv", "--quiet", "--python", own, folder]);
  await installPackages(python, requirements);
  // Compiles the modules that tests import, because uv does not.
  await exec(python, ["-c", proof]);
};

const proves = async (python: string): Promise<boolean> =>
  exec(python, ["-c", proof]).then(
    () => true,
    () => false,
  );
const realPath = async (python: string): Promise<string> =>
  (await exec(python, ["-c", "import sys; print(sys.executable)"])).stdout.trim();
const readOr = (path: string, otherwise: string): Promise<string> =>
  readFile(path, "utf8").catch(() => otherwise);

/** Runs `work` in one process of this machine at a time. Takes over the lock of a process that has died. */
const whileLocked = async <T>(lock: string, work: () => Promise<T>): Promise<T> => {
  while (
    !(await writeFile(lock, String(process.pid), { flag: "wx" }).then(
      () => true,
      () => false,
    ))
  ) {
    const owner = Number(await readOr(lock, ""));
    if (owner > 0 && hasEnded(owner)) await rm(lock, { force: true });
    else await sleep(200);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
};
