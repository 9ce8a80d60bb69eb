import { cacheFolder, installTriton } from "@tritype/tritonserver";
import type { ExitCode, Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline triton install` */
export const run = async (_: Given, terminal: Terminal): Promise<ExitCode> => {
  const installed = await installTriton({
    cache: cacheFolder(terminal.env),
    notice: terminal.note,
    env: terminal.env,
  });
  terminal.out(
    installed.kind === "wheel"
      ? `Triton ${installed.version} (${installed.release}) is installed: ${installed.executable}`
      : `Triton ${installed.release} runs in Docker`,
  );
  return 0;
};
