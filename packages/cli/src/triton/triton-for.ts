import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PipelineError } from "@tritype/core";
import type { TritonInstallation } from "@tritype/tritonserver";
import type { Terminal } from "../terminal.ts";
import { type MissingBackends, missingBackends } from "./servable-profile.ts";

/** A Triton that can load a repository. */
export interface FittingTriton {
  readonly installation: TritonInstallation;
  /** The profile that was asked for, or the only one that this Triton can load. */
  readonly configName: string | undefined;
}

/**
 * A real Triton that runs here, with what the Python of the repository's build imports, and the profile that it can load.
 * @throws PipelineError `tool/missing`; `model/unavailable` for models whose backends it lacks.
 */
export const tritonFor = async (
  repository: string,
  asked: string | undefined,
  terminal: Terminal,
): Promise<FittingTriton> => {
  const { cacheFolder, installTriton, withRequirements } = await import("@tritype/tritonserver");
  const { notice } = { notice: terminal.note };
  const installed = await installTriton({ cache: cacheFolder(terminal.env), notice, env: terminal.env });
  const configName =
    installed.kind === "wheel"
      ? fittingProfile(repository, asked, readdirSync(installed.backends), terminal)
      : asked;
  const requirements = join(dirname(repository), "requirements.txt");
  const installation = existsSync(requirements)
    ? await withRequirements(installed, readFileSync(requirements, "utf8"), { notice })
    : installed;
  return { installation, configName };
};

/** The profile to serve; a note says where it was not asked for. @throws PipelineError `model/unavailable` */
export const fittingProfile = (
  repository: string,
  asked: string | undefined,
  installed: readonly string[],
  { note, colors }: Pick<Terminal, "note" | "colors">,
): string | undefined => {
  const missing = missingBackends(repository, asked, installed);
  if (missing === undefined) return asked;
  const [only, ...others] = missing.profiles;
  if (asked !== undefined || only === undefined || others.length > 0)
    throw new PipelineError("model/unavailable", sentence(missing), { help: wayOut(missing) });
  note(`${colors.dim("note")} ${sentence(missing)}: using --profile ${only}`);
  return only;
};

const sentence = ({ backends }: MissingBackends): string =>
  `this Triton has no backend ${[...backends].map(([name, models]) => `\`${name}\` (${models.join(", ")})`).join(", ")}`;

const wayOut = ({ profiles }: MissingBackends): string =>
  profiles.length > 0
    ? `${profiles.map((name) => `--profile ${name}`).join(" or ")} needs none of them`
    : "add a `standIn` and a profile with `useStandIn: true` to the step and use --profile; or use --triton-url with a server that has the backend";
