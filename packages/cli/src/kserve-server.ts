import { PipelineError } from "@tritype/core";
import type { RemoteEndpoint } from "@tritype/endpoint";
import { cliError } from "./errors.ts";

type Client = RemoteEndpoint["client"];

const login = "pass a valid login as a header, such as --header 'Authorization: Bearer ${TOKEN}'";
const behindProxy =
  "a proxy answers, but not the server behind it: check that this server is running, and its address in the proxy";

/** The advice for statuses of proxies, by status. */
const advice: ReadonlyMap<number, string> = new Map([
  [401, login],
  [403, login],
  [502, behindProxy],
  [503, behindProxy],
  [504, behindProxy],
]);

/**
 * The server's name, version and extensions.
 * @param url The value of `--url`.
 * @throws PipelineError `server/unreachable` if no KServe v2 server answers; the message contains the answer.
 */
export const kserveMetadata = async (
  client: Pick<Client, "serverMetadata">,
  url: string,
): ReturnType<Client["serverMetadata"]> => {
  try {
    return await client.serverMetadata();
  } catch (cause) {
    if (!PipelineError.is(cause) || cause.code === "server/unreachable") throw cause;
    const { status } = (cause.cause ?? {}) as { readonly status?: number };
    const said = cause.message
      .replaceAll(/(?:<[^>]*>|\s)+/g, " ")
      .trim()
      .slice(0, 200);
    const why =
      status === undefined || said.startsWith("the server answered ")
        ? said
        : `the server answered ${status}: ${said}`;
    const help = status === undefined ? undefined : advice.get(status);
    if (help !== undefined) throw cliError("server/refuses", { url, why }, { cause, help });
    const { origin, pathname } = new URL(url);
    const withoutPath = pathname === "/" ? undefined : `leave out the path ${pathname}: --url ${origin}`;
    throw cliError("server/not-kserve", { url, why }, { cause, help: withoutPath });
  }
};
