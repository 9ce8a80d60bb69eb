import { type MissingBackends, missingBackends } from "./missing-backends.ts";
import { endpointError } from "./errors.ts";

/** The profile to serve, with a notice if it was not requested. @throws PipelineError `model/unavailable` */
export const fittingProfile = (
  repository: string,
  asked: string | undefined,
  installed: readonly string[],
  notice: (text: string) => void,
): string | undefined => {
  const missing = missingBackends(repository, asked, installed);
  if (missing === undefined) return asked;
  const [only, ...others] = missing.profiles;
  if (asked !== undefined || only === undefined || others.length > 0)
    throw endpointError("triton/no-backend", { backends: listOf(missing) }, { help: wayOut(missing) });
  notice(`this Triton has no backend ${listOf(missing)}: using --profile ${only}`);
  return only;
};

const listOf = ({ backends }: MissingBackends): string =>
  [...backends].map(([name, models]) => `\`${name}\` (${models.join(", ")})`).join(", ");

const wayOut = ({ profiles }: MissingBackends): string =>
  profiles.length > 0
    ? `${profiles.map((name) => `--profile ${name}`).join(" or ")} needs none of them`
    : "add a `standIn` and a profile with `useStandIn: true`, and select that profile with --profile; or use a server that has the backend with --triton-url";
