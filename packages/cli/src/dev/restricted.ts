import { restrictable, type Restrictable, type Restrictions } from "@tritype/server";
import { type Given, usage } from "../command.ts";

/**
 * `--http-restricted-api` or `--grpc-restricted-protocol`.
 * @throws PipelineError `usage/invalid` with Triton's message.
 */
export const restrictionsOf = (given: Given, name: string): Restrictions => {
  const what = name.endsWith("api") ? "api" : "protocol";
  const restrictions = new Map<Restrictable, { readonly header: string; readonly value: string }>();
  for (const written of given.texts(name)) {
    const [, apis = "", header = "", value = ""] = /^([^:]+):([^=]+)=(.+)$/s.exec(written) ?? [];
    if (value === "")
      throw usage(
        `--${name} option format is '<config name>:<setting>=<value>'. Got ${written}`,
        `use ${what}s, a header and its value, such as model-repository,logging:x-admin=secret`,
      );
    for (const api of apis.split(",") as readonly Restrictable[]) {
      if (!restrictable.includes(api))
        throw usage(`--${name}: unknown restricted ${what} '${api}'`, `use ${restrictable.join(", ")}`);
      if (restrictions.has(api))
        throw usage(
          `--${name}: restricted ${what} '${api}' can not be specified in multiple config groups`,
          `name it in one --${name} only`,
        );
      restrictions.set(api, { header, value });
    }
  }
  return restrictions;
};
