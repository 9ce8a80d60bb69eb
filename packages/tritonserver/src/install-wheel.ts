import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { withFileLock } from "@tritype/wheels";
import { digest } from "./digest.ts";
import type { PythonFacts } from "./find-python.ts";
import type { InstallOptions, WheelInstallation } from "./installation.ts";
import { makeCacheFolder } from "./make-cache-folder.ts";
import { environmentMarker, environmentPython, makeEnvironment } from "./make-environment.ts";
import { wheelRelease, wheelRequirements } from "./wheel-release.ts";

const onnxruntimeBackend = fileURLToPath(new URL("../backends/onnxruntime/model.py", import.meta.url));

/**
 * The wheel in `<cache>/triton`: an environment for each Python and its requirements, a folder for each set of
 * backends.
 */
export async function installWheel(options: InstallOptions, python: PythonFacts): Promise<WheelInstallation> {
  const requirements = wheelRequirements[python.version] ?? [];
  const root = join(resolve(options.cache), "triton");
  const environment = join(root, `python${python.version}-${digest([python.path, ...requirements])}`);
  const packages = join(environment, "lib", `python${python.version}`, "site-packages");
  const triton = join(packages, "pytriton", "tritonserver");
  const onnxruntime = await readFile(onnxruntimeBackend, "utf8");
  const backends = join(environment, `backends-${digest([onnxruntime])}`);
  const installation: WheelInstallation = {
    kind: "wheel",
    release: wheelRelease.release,
    version: wheelRelease.version,
    python: environmentPython(environment),
    environment,
    executable: join(triton, "bin", "tritonserver"),
    libraryFolders: [
      join(packages, "nvidia_pytriton.libs"),
      ...(python.libraryFolder ? [python.libraryFolder] : []),
    ],
    backends,
    caches: join(triton, "caches"),
  };
  if (isComplete(installation)) return installation;
  makeCacheFolder(root);
  await withFileLock(python.path, join(root, "lock"), async () => {
    if (!existsSync(join(environment, environmentMarker)) || !existsSync(installation.executable)) {
      options.notice(`installing Triton ${wheelRelease.version} (once, about 480 MB) into ${environment}`);
      await makeEnvironment({
        python: python.path,
        folder: environment,
        requirements,
        help: "check that pip can reach its package index, or name a running server with --triton-url",
        notice: options.notice,
      });
    }
    if (!existsSync(backends)) await makeBackends(triton, python.version, backends);
  });
  return installation;
}

function isComplete({ environment, executable, backends, python }: WheelInstallation): boolean {
  return [join(environment, environmentMarker), executable, backends, python].every((path) =>
    existsSync(path),
  );
}

async function makeBackends(triton: string, version: string, backends: string): Promise<void> {
  const staging = `${backends}.part`;
  await rm(staging, { recursive: true, force: true });
  const python = join(staging, "python");
  await cp(join(triton, "backends", "python"), python, { recursive: true });
  const stubs = join(triton, "python_backend_stubs", version);
  for (const name of await readdir(stubs)) {
    await cp(join(stubs, name), join(python, name));
    await chmod(join(python, name), 0o755);
  }
  await mkdir(join(staging, "onnxruntime"));
  await cp(onnxruntimeBackend, join(staging, "onnxruntime", "model.py"));
  await rename(staging, backends);
}
