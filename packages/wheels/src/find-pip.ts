import { delimiter, join } from "node:path";
import type { Environment } from "./cache-folder.ts";
import { runCommand, whyNotPython } from "./run-command.ts";

/** A working pip: `argv` is followed by a pip command. With `-I`, Python imports nothing from the current folder, which may be a stranger's. */
export interface Pip {
  /** The interpreter that was found. */
  readonly python: string;
  readonly argv: readonly [string, ...string[]];
}

/**
 * The first Python in `TRITYPE_PYTHON`, PATH and /usr/bin that has pip, or that can install it in `folder`.
 * @param system The folders after PATH.
 * @throws PipelineError `tool/missing`
 */
export async function findPip(
  folder: string,
  env: Environment,
  system: readonly string[] = ["/usr/bin", "/usr/local/bin"],
): Promise<Pip> {
  const found: string[] = [];
  const others: string[] = [];
  for (const python of candidates(env, system)) {
    const facts = await probePython(python, env);
    if (facts === undefined) continue;
    if (typeof facts === "string") {
      others.push(`${python} ${facts}`);
      continue;
    }
    const { executable } = facts;
    if (facts.pip) return { python: executable, argv: [executable, "-I", "-m", "pip"] };
    if (facts.environments) return await ownPip(executable, folder, env);
    found.push(executable);
  }
  throw wheelsError("install/no-pip", {
    problem:
      found.length === 0
        ? `No Python 3.8 or newer was found that can fetch wheels from PyPI${others.map((other) => `; ${other}`).join("")}`
        : `${found.join(", ")} cannot fetch wheels: there is neither pip nor the module venv`,
  });
}

const candidates = (env: Environment, system: readonly string[]): readonly string[] => {
  const named = env["TRITYPE_PYTHON"];
  const folders = [...(env["PATH"] ?? "").split(delimiter), ...system].filter(Boolean);
  const everywhere = ["python3", "python"].flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...new Set([...(named ? [named] : []), ...everywhere])];
};

interface PythonAbilities {
  /** The interpreter itself, if the candidate is a script that starts one. */
  readonly executable: string;
  readonly pip: boolean;
  readonly environments: boolean;
}

/** The abilities of a Python, or the reason why the program cannot be used; undefined if there is no such program. */
const probePython = async (
  python: string,
  env: Environment,
): Promise<PythonAbilities | string | undefined> => {
  const { code, output } = await runCommand([python, "-I", "-c", probe], env).catch(
    (error: NodeJS.ErrnoException) => ({ code: error.code, output: "" }),
  );
  return code === 0 ? (JSON.parse(output) as PythonAbilities) : whyNotPython(code, output);
};

const ownPip = async (python: string, folder: string, env: Environment): Promise<Pip> => {
  const environment = join(folder, "pip");
  const { code, output } = await runCommand([python, "-I", "-m", "venv", "--clear", environment], env);
  if (code === 0) return { python, argv: [join(environment, "bin", "python"), "-I", "-m", "pip"] };
  throw wheelsError("install/pip-not-made", { python, output: output.trim() });
};

const probe = `
import importlib.util, json, sys
if sys.version_info < (3, 8):
    sys.exit("is Python " + sys.version.split()[0])
has = lambda *names: all(importlib.util.find_spec(name) is not None for name in names)
print(json.dumps({"executable": sys.executable, "pip": has("pip"), "environments": has("venv", "ensurepip")}))
`;
import { wheelsError } from "./errors.ts";
