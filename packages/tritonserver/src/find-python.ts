import { delimiter, join } from "node:path";
import { type Environment, runCommand, whyNotPython } from "@tritype/wheels";
import { wheelRelease, wheelRequirements } from "./wheel-release.ts";

/** A Python interpreter as it describes itself. */
export interface PythonFacts {
  readonly path: string;
  /** "3.11" */
  readonly version: string;
  readonly machine: string;
  /** The C library's version; undefined if it is not glibc. */
  readonly glibc: string | undefined;
  /** The shared library that Triton's stub loads, `libpython3.11.so.1.0`. */
  readonly libraryName: string;
  /** The folder of the shared library; undefined if it is not installed. */
  readonly libraryFolder: string | undefined;
  readonly canMakeEnvironments: boolean;
}

/** An interpreter that the wheel runs with, or why there is none and what to do. */
export type PythonChoice =
  | { readonly kind: "usable"; readonly python: PythonFacts }
  | { readonly kind: "unusable"; readonly reason: string; readonly help: string };

/** Candidate interpreters: the system's own before those in PATH (which may be built without a shared library). */
export function pythonCandidates(env: Environment): readonly string[] {
  const names = [...Object.keys(wheelRequirements).map((version) => `python${version}`), "python3"];
  const folders = ["/usr/bin", "/usr/local/bin", ...(env["PATH"] ?? "").split(delimiter)];
  return [...new Set(folders.filter((folder) => folder !== "").flatMap((f) => names.map((n) => join(f, n))))];
}

/** The facts about a Python, or the reason why a file cannot be run; undefined if `path` is not a working Python 3. */
export async function probePython(path: string): Promise<PythonFacts | string | undefined> {
  const { code, output } = await runCommand([path, "-I", "-c", probe]).catch(
    (error: NodeJS.ErrnoException) => ({ code: error.code, output: "" }),
  );
  if (code === "EACCES") return whyNotPython(code, output);
  if (code !== 0) return undefined;
  const { glibc, libraryFolder, ...facts } = JSON.parse(output) as Record<keyof PythonFacts, never>;
  return { ...facts, path, glibc: glibc ?? undefined, libraryFolder: libraryFolder ?? undefined };
}

/**
 * The first interpreter that has everything; otherwise the closest one, with the packages it lacks.
 * @param others Programs that cannot be used, each with the reason.
 */
export function choosePython(found: readonly PythonFacts[], others: readonly string[] = []): PythonChoice {
  const versions = Object.keys(wheelRequirements);
  const fitting = found.filter((python) => versions.includes(python.version));
  const [nearest] = fitting;
  if (nearest === undefined) {
    const seen = [...new Set(found.map((python) => `${python.path} is ${python.version}`)), ...others];
    return {
      kind: "unusable",
      reason: `Triton's wheel needs Python ${versions.toReversed().join(", ")}; ${seen.length > 0 ? seen.join(", ") : "no Python was found"}`,
      help: "apt-get install python3.11 python3.11-venv libpython3.11 (or the same packages for another of these versions)",
    };
  }
  const { machine, glibc } = nearest;
  if (machine !== "x86_64" || glibc === undefined || olderThan(glibc, wheelRelease.minimumGlibc)) {
    const needed = wheelRelease.minimumGlibc.join(".");
    return {
      kind: "unusable",
      reason: `Triton's wheel needs x86_64 with glibc ${needed} or newer; this is ${machine} with ${glibc === undefined ? "another C library" : `glibc ${glibc}`}`,
      help: "use a newer system, such as Debian 12 or Ubuntu 22.04",
    };
  }
  const python = fitting.find(
    ({ libraryFolder, canMakeEnvironments }) => libraryFolder && canMakeEnvironments,
  );
  if (python !== undefined) return { kind: "usable", python };
  const missing = [
    ...(nearest.libraryFolder === undefined
      ? [{ what: `its shared library ${nearest.libraryName}`, from: `libpython${nearest.version}` }]
      : []),
    ...(nearest.canMakeEnvironments
      ? []
      : [{ what: "its venv module with ensurepip", from: `python${nearest.version}-venv` }]),
  ];
  return {
    kind: "unusable",
    reason: `${nearest.path} (Python ${nearest.version}) lacks ${missing.map(({ what }) => what).join(" and ")}`,
    help: `apt-get install ${missing.map(({ from }) => from).join(" ")}`,
  };
}

function olderThan(version: string, minimum: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < minimum[0] || (major === minimum[0] && minor < minimum[1]);
}

const probe = `
import importlib.util, json, os, platform, sys, sysconfig
try:
    glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
except (AttributeError, IndexError, ValueError):
    glibc = None
version = "%d.%d" % sys.version_info[:2]
library = "libpython%s.so.1.0" % version
folders = [sysconfig.get_config_var("LIBDIR") or "", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/local/lib"]
print(json.dumps({
    "version": version,
    "machine": platform.machine(),
    "glibc": glibc,
    "libraryName": library,
    "libraryFolder": next((f for f in folders if os.path.exists(os.path.join(f, library))), None),
    "canMakeEnvironments": all(importlib.util.find_spec(m) for m in ("venv", "ensurepip")),
}))
`;
