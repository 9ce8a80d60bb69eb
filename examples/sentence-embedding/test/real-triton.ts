import {
  cacheFolder,
  installTriton,
  serveTriton,
  type TritonServer,
  type WheelInstallation,
} from "@tritype/tritonserver";
import { killTriton } from "../../../test/triton/judge.ts";
import { runPython } from "./run-python.ts";
import type { Vector } from "./vectors.ts";

/** Serves a repository with a real Triton while `use` runs. */
export const withTriton = async <T>(
  repository: string,
  use: (server: TritonServer, installation: WheelInstallation) => Promise<T>,
  extraArguments: readonly string[] = [],
): Promise<T> => {
  const triton = await installTriton({ cache: cacheFolder(), notice: () => {} });
  if (triton.kind !== "wheel") throw new Error("this test needs Triton's wheel: its Python has tritonclient");
  const server = await serveTriton(triton, { repository, extraArguments });
  try {
    await server.waitReady();
    return await use(server, triton);
  } finally {
    await killTriton(server);
  }
};

/** The answers that Python's official clients get from a real Triton serving the repository. */
export const askTriton = (
  repository: string,
  texts: readonly string[],
): Promise<{ readonly http: readonly Vector[]; readonly grpc: readonly Vector[] }> =>
  withTriton(repository, ({ httpUrl, grpcAddress }, { python }) =>
    runPython(python, "ask_triton.py", [httpUrl.replace("http://", ""), grpcAddress], texts),
  );
