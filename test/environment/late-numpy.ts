import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { WheelInstallation } from "@tritype/tritonserver";
import { makeOnce } from "./make-once.ts";

const source = readFileSync(new URL("late_numpy.py", import.meta.url), "utf8");
const utils = "triton_python_backend_utils.py";

/** Changes the module that Triton's stub imports, which would use numpy on import. Line numbers stay the same. */
const table = /^TRITON_STRING_TO_NUMPY = (\{[^}]*\})/m;
const lateTable = 'TRITON_STRING_TO_NUMPY = __import__("late_numpy").LateTable(lambda: $1)';

/**
 * The installation with a Python backend whose models import numpy when they first use it. A model that gets no requests
 * then loads in a quarter of the processor time.
 */
export const withLateNumpy = async (installation: WheelInstallation): Promise<WheelInstallation> => {
  const digest = createHash("sha256").update(`${source}${table.source}${lateTable}`).digest("hex");
  const suffix = `-late-${digest.slice(0, 12)}`;
  const environment = `${installation.environment}${suffix}`;
  const backends = `${installation.backends}${suffix}`;
  await makeOnce(backends, (staging) => makeBackends(installation, staging));
  await makeOnce(environment, (staging) => makeEnvironment(installation, staging));
  return { ...installation, environment, backends, python: join(environment, "bin", "python") };
};

const makeBackends = async ({ backends, python }: WheelInstallation, folder: string): Promise<void> => {
  const copy = join(folder, "python");
  await mkdir(copy);
  for (const name of await readdir(backends))
    if (name !== "python") await symlink(join(backends, name), join(folder, name));
  // Copies instead of links: a library that a configuration names must be in the folder itself.
  for (const name of await readdir(join(backends, "python")))
    if (name !== utils && name !== "__pycache__") await cp(join(backends, "python", name), join(copy, name));
  const text = await readFile(join(backends, "python", utils), "utf8");
  if (!table.test(text)) throw new Error(`${utils} has no ${table.source}`);
  await writeFile(join(copy, utils), text.replace(table, lateTable));
  await compileAll(python, copy);
};

/** An environment of Python with the same packages. It replaces numpy before any model is imported. */
const makeEnvironment = async ({ environment, python }: WheelInstallation, folder: string): Promise<void> => {
  await mkdir(join(folder, "bin"));
  for (const name of await readdir(join(environment, "bin")))
    await symlink(join(environment, "bin", name), join(folder, "bin", name));
  await cp(join(environment, "pyvenv.cfg"), join(folder, "pyvenv.cfg"));
  const { stdout } = await run(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]);
  const base = stdout.trim();
  const packages = join(folder, relative(dirname(dirname(python)), base));
  await mkdir(packages, { recursive: true });
  await writeFile(join(packages, "late_numpy.py"), source);
  await writeFile(
    join(packages, "late_numpy.pth"),
    `import late_numpy\nimport site; site.addsitedir(${JSON.stringify(base)})\n`,
  );
  await compileAll(python, packages);
};

const run = promisify(execFile);

/** Writes the bytecode of a folder's modules, because the stub does not. */
const compileAll = async (python: string, folder: string): Promise<void> => {
  await run(python, ["-m", "compileall", "-q", folder]);
};
