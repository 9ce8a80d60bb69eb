import { defaultRelease } from "@tritype/triton";
import { type Given, usage } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { configNameOf } from "./config-name.ts";

/** @throws PipelineError `usage/invalid` for a profile that does not exist in any model of the repository. */
export const needProfile = async (
  repository: string,
  profile: string | undefined,
  { cwd }: Pick<Terminal, "cwd">,
): Promise<void> => {
  if (profile === undefined) return;
  const { checkTargets, needConfigName } = await import("../check/check-targets.ts");
  needConfigName(checkTargets([repository], cwd), profile, defaultRelease);
};

/** @throws PipelineError `usage/invalid` for a profile combined with an option for a running server. */
export const refuseProfileOf = (given: Given, option: string): void => {
  const name = configNameOf(given);
  if (name === undefined) return;
  throw usage(
    `--profile is ${name}, but --${option} names a running server, which has its profile from its start`,
    "leave out --profile, or start the server with it",
  );
};
