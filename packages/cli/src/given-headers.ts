import { type Given, type OptionSpec, usage } from "./command.ts";
import type { Terminal } from "./terminal.ts";

type Headers = Readonly<Record<string, string>>;

/** An option for headers of requests to a server. @param urls The options for its addresses. */
export const headerOption = (...urls: readonly string[]): OptionSpec => ({
  ...headersOf(urls.map((url) => `--${url}`).join(" and ")),
  needs: urls,
});

/** @param server The recipient of the headers. */
export const headersOf = (server: string): OptionSpec => ({
  multiple: true,
  value: "name: value",
  summary: `a header for ${server}, such as 'Authorization: Bearer \${TOKEN}'; \${NAME} is replaced by the environment variable`,
});

/**
 * The headers for a server; undefined if there are none. Error messages do not contain values, which are secrets.
 * @throws PipelineError `usage/invalid`
 */
export const givenHeaders = (
  given: Given,
  { env }: Pick<Terminal, "env">,
  option = "header",
): Headers | undefined => {
  const headers = given.texts(option).map((text) => readHeader(text, option, env));
  return headers.length === 0 ? undefined : Object.fromEntries(headers);
};

/** @throws PipelineError `usage/invalid` for headers that are encrypted over HTTP, but would not be over gRPC */
export const refuseUnencrypted = (
  headers: Headers | undefined,
  http: string | undefined,
  grpc: string | undefined,
  help: string,
  option = "header",
): void => {
  if (headers !== undefined && http?.startsWith("https:") === true && grpc !== undefined)
    throw usage(`--${option} would be sent to ${grpc} without encryption`, help);
};

const readHeader = (
  text: string,
  option: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly [name: string, value: string] => {
  const [, name, written = ""] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined)
    throw usage(`--${option} is not a header`, `write a name and a value: --${option} 'x-api-key: \${KEY}'`);
  const value = written.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => {
    const found = env[variable];
    if (found !== undefined && found !== "") return found;
    throw usage(
      `--${option} ${name}: the environment variable ${variable} is not set`,
      `set ${variable}, or write the value itself`,
    );
  });
  if (!/^[\t\x20-\x7e]*$/.test(value))
    throw usage(
      `--${option} ${name}: the value contains characters that are not allowed in headers`,
      "check it for line breaks",
    );
  if (own.has(name.toLowerCase()))
    throw usage(`--${option} ${name} cannot be set`, "the client sets this header itself");
  return [name, value];
};

/** Headers that belong to the body or the connection. */
const own: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "host",
  "inference-header-content-length",
  "transfer-encoding",
]);
