import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Runtime, type RuntimeOptions, startRuntime } from "@tritype/runtime";
import { serveTriton, type TritonServer, type WheelInstallation } from "@tritype/tritonserver";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { realTriton } from "../environment/triton.ts";
import { endCrashed } from "./end-crashed.ts";

/** Time limit in milliseconds for tests that may install Triton, which happens once per machine. */
export const installTime = 300_000;

/** A repository served by the real Triton and by the local runtime. */
export interface Judged {
  readonly installation: WheelInstallation;
  readonly triton: TritonServer;
  /** The local runtime, with native twins if there are any. */
  readonly local: Runtime;
  /** A local runtime that runs the emitted Python. Started by the first call. */
  readonly python: () => Promise<Runtime>;
  /** The local runtimes' notices, for instance about a twin that does not run. */
  readonly notices: readonly string[];
  readonly stop: () => Promise<void>;
}

export interface JudgeOptions {
  /** Size of both servers' response cache. Default: none. */
  readonly cacheBytes?: number;
  /** Further arguments of the real Triton. */
  readonly tritonArguments?: readonly string[];
  /** The corresponding options of the local runtimes. */
  readonly localOptions?: Partial<RuntimeOptions>;
  /** Whether ONNX models keep the instances of their configurations. Default: one instance each. */
  readonly isUnchanged?: boolean;
}

/** The real Triton from PyPI's wheel. */
export const installJudge = (): Promise<WheelInstallation> => realTriton();

/** Serves a repository with these files, which is removed once everything has stopped. */
export const judgeFiles = async (
  files: Files,
  options: JudgeOptions = {},
): Promise<Judged & { readonly repository: string }> => {
  const folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  try {
    writeFiles(repository, files);
    const judged = await judgeRepository(repository, options);
    const stop = async (): Promise<void> => {
      await judged.stop();
      await folder.remove();
    };
    return { ...judged, repository, stop };
  } catch (error) {
    await folder.remove();
    throw error;
  }
};

/** Gives the ONNX models of a repository one instance. By default, Triton starts two processes for each. */
export const useOneInstance = async (repository: string): Promise<void> => {
  for (const name of await readdir(repository)) {
    const path = join(repository, name, "config.pbtxt");
    const text = await readFile(path, "utf8").catch(() => "");
    if (/^backend: "onnxruntime"/m.test(text) && !text.includes("instance_group"))
      await appendFile(path, "instance_group { kind: KIND_CPU count: 1 }\n");
  }
};

/** Serves a model repository. Throws Triton's reasons if Triton does not load every model. */
export const judgeRepository = async (
  repository: string,
  { cacheBytes, tritonArguments = [], localOptions = {}, isUnchanged = false }: JudgeOptions = {},
): Promise<Judged> => {
  const installation = await installJudge();
  if (!isUnchanged) await useOneInstance(repository);
  const extraArguments = [
    ...(cacheBytes === undefined ? [] : [`--cache-config=local,size=${cacheBytes}`]),
    ...tritonArguments,
  ];
  const notices: string[] = [];
  const options = {
    repository,
    device: "cpu",
    notice: (text: string) => void notices.push(text),
    tellPython: () => {},
    pythonCommand: installation.python,
    responseCache: cacheBytes,
    ...localOptions,
  } as const;
  const onLine = endCrashed(repository);
  const [starting, opening] = [
    serveTriton(installation, { repository, extraArguments, onLine }),
    startRuntime({ ...options, python: "twin" }),
  ];
  // Reported below, once Triton has started.
  opening.catch(() => undefined);
  try {
    const triton = await starting;
    await triton.waitReady();
    const local = await opening;
    let started: Promise<Runtime> | undefined;
    const python = (): Promise<Runtime> => (started ??= startRuntime({ ...options, python: "always" }));
    const stop = async (): Promise<void> => {
      await Promise.all([
        killTriton(triton),
        local.close(true),
        started?.then((runtime) => runtime.close(true)),
      ]);
    };
    return { installation, triton, local, python, notices, stop };
  } catch (error) {
    await Promise.allSettled([starting.then(killTriton), opening.then((local) => local.close(true))]);
    throw error;
  }
};

/** Kills a server whose shutdown is not tested, because unloading its models would take seconds. */
export const killTriton = async (triton: TritonServer | undefined): Promise<void> => {
  if (triton === undefined) return;
  const stopped = triton.stop();
  try {
    if (triton.pid !== undefined) process.kill(triton.pid, "SIGKILL");
  } catch {
    // Already gone.
  }
  await stopped;
};

/** A separate folder, deleted by `remove`. */
export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => Promise<void>;
}

export const temporaryFolder = async (): Promise<TemporaryFolder> => {
  const path = await mkdtemp(join(tmpdir(), "tritype-judge-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};
