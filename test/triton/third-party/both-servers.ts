import { join } from "node:path";
import { serveTriton } from "@tritype/tritonserver";
import { onTestFinished } from "vitest";
import { type Files, writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { serve } from "../../cli/served-dev.ts";
import { installJudge, killTriton, temporaryFolder } from "../judge.ts";

/** A server's addresses, as `host:port`. */
export interface Address {
  readonly http: string;
  readonly grpc: string;
  readonly metrics: string;
}

/** Models are loaded and unloaded on request. At the start, all are loaded, or none. */
export type ModelControl = "explicit" | "none loaded";

export interface BothServers {
  readonly triton: Address;
  readonly dev: Address;
  readonly devPid: number;
  /** Ends `pipeline dev` as Ctrl-C would. Resolves to its exit code. */
  readonly stopDev: () => Promise<number | null>;
  readonly stopTriton: () => Promise<void>;
}

/**
 * Starts the real Triton and `pipeline dev` in separate processes on copies of one repository. Both stop when the test
 * ends.
 */
export const startBothServers = async (
  files: Files,
  mode?: ModelControl,
  flags: readonly string[] = [],
  devFlags: readonly string[] = [],
): Promise<BothServers> => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const installation = await installJudge();
  const repositories = ["triton", "dev"].map((name) => join(folder.path, name));
  for (const repository of repositories) writeFiles(repository, files);
  const [theirs = "", ours = ""] = repositories;
  const load = mode === "explicit" ? ["--load-model=*"] : [];
  const control = mode === undefined ? [] : ["--model-control-mode=explicit", ...load];
  const triton = await serveTriton(installation, {
    repository: theirs,
    strict: false,
    extraArguments: [...control, ...flags],
  });
  onTestFinished(() => killTriton(triton));
  await triton.waitReady();
  const argv = [ours, "--grpc-port", "0", "--metrics-port", "0", "--device", "cpu"];
  const served = await serve(
    { root: folder.path },
    [...argv, ...(mode === undefined ? ["--no-watch"] : []), ...control, ...flags, ...devFlags],
    { env: { TRITYPE_PYTHON: installation.python } },
  );
  const address = (url: string): string => url.replace("http://", "").replace("/metrics", "");
  return {
    triton: { http: address(triton.httpUrl), grpc: triton.grpcAddress, metrics: address(triton.metricsUrl) },
    dev: {
      http: address(served.url),
      grpc: served.address,
      metrics: address(/http:\S+\/metrics/.exec(served.err())?.[0] ?? ""),
    },
    devPid: served.child.pid ?? 0,
    stopTriton: () => triton.stop(),
    stopDev: async () => {
      served.child.kill("SIGINT");
      return (await served.ended).code;
    },
  };
};
