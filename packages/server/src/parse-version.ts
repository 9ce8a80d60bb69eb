import { foreignError } from "@tritype/core";

/**
 * A model version as Triton's `stoll` reads it: anything after the digits is ignored. Empty means the latest.
 * @throws PipelineError `request/invalid` with Triton's text if it is not a number, below 0, or beyond int64.
 */
export const parseVersion = (text: string): string | undefined => {
  if (text === "") return undefined;
  const digits = /^\s*([+-]?[0-9]+)/.exec(text)?.[1]?.replace("+", "");
  const version = digits === undefined ? undefined : BigInt(digits);
  if (version === undefined || version >= 2n ** 63n || version < -(2n ** 63n))
    throw foreignError(
      "request/invalid",
      `failed to get model version from specified version string '${text}' (details: stol), version should be an integral value > 0`,
    );
  if (version < 0n)
    throw foreignError(
      "request/invalid",
      `invalid model version specified '${text}' , version should be an integral value > 0`,
    );
  return String(version);
};
