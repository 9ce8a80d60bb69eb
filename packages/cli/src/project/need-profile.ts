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
  if (configNameOf(given) === undefined) return;
  throw usage(
    "a profile is selected when a server starts",
    `remove --profile: --${option} names a running server`,
  );
};
