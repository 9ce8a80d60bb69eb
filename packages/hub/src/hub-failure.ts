import { messageOf, type PipelineError } from "@tritype/core";
import { hubError } from "./errors.ts";

/** The subject of a request, for error messages. */
export interface Asked {
  readonly repository: string;
  readonly revision: string;
  readonly endpoint: string;
  readonly hasToken: boolean;
}

/** The error for a failed response: the hub's message, the URL, and the fix. */
export const refusal = (url: string, response: Response, asked: Asked): PipelineError => {
  const { status } = response;
  const host = response.url === "" ? "" : new URL(response.url).host;
  const said = response.headers.get("X-Error-Code") ?? "";
  const { code, what, help } =
    host !== "" && host !== new URL(asked.endpoint).host
      ? {
          code: "hub/denied" as const,
          what: `the hub redirects this download to ${host}, which refuses it`,
          help: "run the command again; if it fails again, a proxy or firewall allows the hub but not that host",
        }
      : status === 401 || status === 403
        ? denial(status, said, asked)
        : status === 404
          ? absence(said, asked)
          : {
              code: "hub/unreachable" as const,
              what: "that is not an answer from a Hugging Face Hub",
              help: "check HF_ENDPOINT, and any proxy or firewall in between",
            };
  const words = quoted(response.headers.get("X-Error-Message"));
  return hubError(
    code,
    { what, request: `${request(response.url || url)} answered ${status}${words}` },
    { help },
  );
};

/** A request as shown in messages: without its query, which may contain a signature. */
export const request = (url: string): string => `GET ${url.split("?")[0] ?? url}`;

interface Refusal {
  readonly code: "hub/denied" | "hub/not-found" | "hub/unreachable";
  readonly what: string;
  readonly help: string;
}

const denial = (status: number, said: string, { repository, endpoint, hasToken }: Asked): Refusal => {
  const page = `${endpoint}/${repository}`;
  if (said === "GatedRepo")
    return hasToken
      ? {
          code: "hub/denied",
          what: `${repository} is gated, and your token's account was not granted access to it`,
          help: `accept the terms at ${page}; a fine-grained token also needs the right to read gated repositories`,
        }
      : {
          code: "hub/denied",
          what: `${repository} is gated: the hub only gives it to users who accepted its terms`,
          help: `accept them at ${page}, create a token at ${endpoint}/settings/tokens, and set HF_TOKEN to it`,
        };
  if (status === 403)
    return {
      code: "hub/denied",
      what: `${repository} cannot be read${hasToken ? " with your token" : ""}`,
      help: hasToken
        ? "use a token with access (HF_TOKEN); the 403 may also come from a proxy or firewall"
        : "set HF_TOKEN to a token with access; the 403 may also come from a proxy or firewall",
    };
  return hasToken
    ? {
        code: "hub/denied",
        what: `the hub does not accept your token for ${repository}: the token is wrong or has expired`,
        help: `create a new one at ${endpoint}/settings/tokens and set HF_TOKEN to it, or unset it for a public repository`,
      }
    : {
        code: "hub/denied",
        what: `without a token, the hub does not show ${repository}: it does not exist or is private`,
        help: "check the spelling; for a private repository, set HF_TOKEN",
      };
};

const absence = (said: string, { repository, revision, endpoint, hasToken }: Asked): Refusal => {
  if (said === "RevisionNotFound")
    return {
      code: "hub/not-found",
      what: `${repository} has no revision \`${revision}\``,
      help: `its branches and tags are at ${endpoint}/${repository}/tree/main; the default revision is main`,
    };
  if (said === "EntryNotFound")
    return {
      code: "hub/not-found",
      what: `a file of ${repository} is gone from revision \`${revision}\``,
      help: "run the command again with --revision to use another state of the repository",
    };
  return {
    code: "hub/not-found",
    what: `there is no ${repository} on the hub${hasToken ? " that your token can see" : ""}`,
    help: `check the spelling: models are at ${endpoint}/models`,
  };
};

/** A server's own message, shortened to one line. */
const quoted = (text: string | null): string =>
  text === null || text === "" ? "" : `: ${text.replaceAll(/[^\u0020-\u007E]+/g, " ").slice(0, 300)}`;

/** No answer. */
export const unreachable = (url: string, error: unknown): PipelineError => {
  const reason = reasonOf(error);
  return hubError(
    "hub/unreachable",
    { what: `no answer from the hub: ${reason.what}`, request: request(url) },
    { cause: error, help: reason.help },
  );
};

interface Reason {
  readonly what: string;
  readonly help: string;
  /** Whether a retry may succeed. */
  readonly passing: boolean;
}

const again = "check the network, and run the command again: a download continues where it stopped";

/** The reason why a request got no response, or why the response was cut off. */
export const reasonOf = (error: unknown): Reason => {
  const code = codeOf(error);
  const known = reasons[code];
  if (error instanceof Silence) return { ...silent, what: error.message };
  if (known === unknownHost) return { ...known, what: `${hostOf(error)} cannot be resolved` };
  if (known !== undefined) return known;
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|SSL/.test(code))
    return {
      what: `its certificate is not trusted (${code})`,
      help: "behind a proxy that decrypts TLS, set NODE_EXTRA_CA_CERTS to the file with its certificate",
      passing: false,
    };
  const message = messageOf(error);
  return { what: code === "" ? message : `${message} (${code})`, help: again, passing: true };
};

const unknownHost: Reason = {
  what: "its name cannot be resolved",
  help: "check the network; behind a proxy, use Node 24 with NODE_USE_ENV_PROXY=1, or set HF_ENDPOINT to a mirror",
  passing: false,
};
const cut: Reason = { what: "the connection was cut", help: again, passing: true };
const silent: Reason = {
  what: "no data arrived in time",
  help: `${again}; HF_HUB_DOWNLOAD_TIMEOUT sets how many seconds to wait for data`,
  passing: true,
};
const reasons: Readonly<Record<string, Reason>> = {
  ENOTFOUND: unknownHost,
  EAI_AGAIN: { ...unknownHost, passing: true },
  ECONNREFUSED: {
    what: "no server is listening there (ECONNREFUSED)",
    help: "check HF_ENDPOINT, and check that the mirror is running",
    passing: false,
  },
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: cut,
  UND_ERR_CONNECT_TIMEOUT: silent,
  UND_ERR_HEADERS_TIMEOUT: silent,
  UND_ERR_BODY_TIMEOUT: silent,
};

const hostOf = (error: unknown): string => {
  for (let at = error; at instanceof Error; at = at.cause)
    if ("hostname" in at && typeof at.hostname === "string") return at.hostname;
  return "its name";
};

const codeOf = (error: unknown): string => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
  }
  return "";
};

/** Thrown if a server sent nothing for too long. */
export class Silence extends Error {}
