import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { WheelInstallation } from "@tritype/tritonserver";
import { makeOnce } from "./make-once.ts";

const source = readFileSync(new URL("late_numpy.py", import.meta.url), "utf8");
const utils = "triton_python_backend_utils.py";

/** What changes in the module that Triton's stub imports. The first keeps the numbers of its lines. */
const changes: readonly (readonly [RegExp, string])[] = [
  [/^import numpy as np$/m, "import late_numpy, numpy as np"],
  [/^TRITON_STRING_TO_NUMPY = (\{[^}]*\})/m, "TRITON_STRING_TO_NUMPY = late_numpy.LateTable(lambda: $1)"],
];

/**
 * The installation with a Python backend whose models import numpy when they first use it: loading a model that is never
 * asked takes a quarter of the processor time.
 */
export const withLateNumpy = async (installation: WheelInstallation): Promise<WheelInstallation> => {
  const from = installation.backends;
  const digest = createHash("sha256")
    .update(JSON.stringify([source, String(changes)]))
    .digest("hex")
    .slice(0, 12);
  const backends = `${from}-late-${digest}`;
  await makeOnce(backends, async (staging) => {
    const python = join(staging, "python");
    await mkdir(python, { recursive: true });
    for (const name of await readdir(from))
      if (name !== "python") await symlink(join(from, name), join(staging, name));
    // A library that a configuration names must lie in the folder itself.
    for (const name of await readdir(join(from, "python")))
      if (name !== utils && name !== "__pycache__") await cp(join(from, "python", name), join(python, name));
    let text = await readFile(join(from, "python", utils), "utf8");
    for (const [pattern, replacement] of changes) {
      if (!pattern.test(text)) throw new Error(`${utils} has no ${pattern.source}`);
      text = text.replace(pattern, replacement);
    }
    await writeFile(join(python, utils), text);
    await writeFile(join(python, "late_numpy.py"), source);
    // The stub itself writes no bytecode.
    await promisify(execFile)(installation.python, ["-m", "compileall", "-q", python]);
  });
  return { ...installation, backends };
};
