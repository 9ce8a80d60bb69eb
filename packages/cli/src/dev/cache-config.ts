import { type Given, usage } from "../command.ts";

/**
 * The size of the response cache in bytes, from `--cache-config`; undefined if it is not given.
 * @throws PipelineError `usage/invalid`
 */
export const cacheConfigOf = (given: Given): number | undefined => {
  const written = given.text("cache-config");
  if (written === undefined) return undefined;
  const [name, ...settings] = written.split(",");
  if (name !== "local")
    throw usage(
      `--cache-config is ${written}`,
      "use local,size=<bytes>: the local server has no other kind of cache",
    );
  const [, size] = /^size=(\d{1,15})$/.exec(settings.join(",")) ?? [];
  if (size === undefined || Number(size) === 0)
    throw usage(`--cache-config is ${written}`, "use local,size=<bytes>, such as local,size=268435456");
  return Number(size);
};
