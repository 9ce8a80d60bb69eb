import { installCuda, probeInstalledCuda, removeCuda } from "@tritype/runtime";
import { cacheFolder } from "@tritype/wheels";
import { type ExitCode, type Given, usage } from "../command.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline gpu install` */
export const run = async (given: Given, { env, note, out }: Terminal): Promise<ExitCode> => {
  const cache = cacheFolder(env);
  if (given.flag("remove")) {
    if (given.flag("force")) throw usage("--remove and --force are mutually exclusive", "use one of them");
    out((await removeCuda(cache)) ? "the CUDA libraries were removed" : "no CUDA libraries are installed");
    return 0;
  }
  out(
    `the CUDA libraries are installed: ${await installCuda({ cache, force: given.flag("force"), notice: note, env })}`,
  );
  const problem = await probeInstalledCuda(cache);
  out(problem === undefined ? "CUDA works here" : `CUDA cannot be used yet: ${problem.reason}`);
  if (problem !== undefined) note(problem.help);
  return 0;
};
