import type { Scope } from "./scope.ts";

type FixedHeaders = Readonly<Record<string, string>>;

/** The headers of one request; a function is called for each, and may need time, for example to renew a token. */
export const requestHeaders = async (
  headers: FixedHeaders | (() => FixedHeaders | Promise<FixedHeaders>),
  scope: Scope,
): Promise<FixedHeaders> =>
  typeof headers === "function" ? scope.race(Promise.resolve(headers())) : headers;
