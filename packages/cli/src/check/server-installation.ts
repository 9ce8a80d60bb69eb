import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import type { ServerInstallation } from "@tritype/check";
import { createRepositoryHost } from "@tritype/runtime/host";
import { usage } from "../command.ts";

/** The parts of the Triton in a folder such as /opt/tritonserver. @throws PipelineError `usage/invalid` if it has no backends */
export const serverInstallation = (given: string, cwd: string): ServerInstallation => {
  const folder = resolve(cwd, given);
  const namesIn = (part: string): readonly string[] =>
    (createRepositoryHost(folder).list(part) ?? []).map(({ name }) => name);
  const backends = namesIn("backends");
  if (backends.length === 0)
    throw usage(`--server: ${given} has no backends`, "name Triton's folder, such as /opt/tritonserver");
  const openVino = join(folder, "backends/onnxruntime/libonnxruntime_providers_openvino.so");
  return {
    backends,
    repositoryAgents: namesIn("repoagents"),
    cpuAccelerators: existsSync(openVino) ? ["openvino"] : [],
    // The server's loader finds other paths, relative to folders that only it knows.
    libraries: { includes: (path) => !isAbsolute(path) || existsSync(path) },
  };
};
