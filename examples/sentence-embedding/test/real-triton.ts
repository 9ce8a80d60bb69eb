import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { runPython } from "./run-python.ts";
import type { Vector } from "./vectors.ts";

/** What Python's official clients get from a real Triton that serves the repository. */
export const askTriton = async (
  repository: string,
  texts: readonly string[],
): Promise<{ readonly http: readonly Vector[]; readonly grpc: readonly Vector[] }> => {
  const triton = await installTriton({ cache: cacheFolder(), notice: () => {} });
  if (triton.kind !== "wheel") throw new Error("this test needs Triton's wheel: its Python has tritonclient");
  const server = await serveTriton(triton, { repository });
  try {
    await server.waitReady();
    const address = server.httpUrl.replace("http://", "");
    return await runPython(triton.python, "ask_triton.py", [address, server.grpcAddress], texts);
  } finally {
    await server.stop();
  }
};
