import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { attempt } from "@tritype/core";

/** The callers that a server accepts in addition to programs and its own pages. */
export interface AllowedCallers {
  /**
   * Names that requests may use for this server in their `Host` header. IP addresses, `localhost` and `*.localhost` are
   * always allowed; a name with a leading dot allows its subdomains too. Default: none.
   */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may call this server, such as `http://localhost:5173`. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

/** A server's decision about a caller: it responds, it responds to a page of an allowed origin, or it refuses. */
export type CallerVerdict =
  | { readonly kind: "own" }
  | { readonly kind: "allowed"; readonly origin: string }
  | { readonly kind: "refused"; readonly reason: string };

export type CallerCheck = (request: Pick<IncomingMessage, "headers" | "method">) => CallerVerdict;

/**
 * Refuses web pages of other origins. Such a page can send requests to this machine, and by DNS rebinding even read the
 * responses: its host name then resolves to this server. Programs send neither `Origin` nor `Sec-Fetch-Site`, and use
 * an address or a known name.
 * @param host The address on which the server listens.
 */
export const createCallerCheck = (host: string, callers: AllowedCallers = {}): CallerCheck => {
  const hosts = (callers.allowedHosts ?? []).map((name) => name.toLowerCase());
  const origins = new Set((callers.allowedOrigins ?? []).map(originOf));
  const names = new Set(isLoopback(host) ? [host] : [host, hostname()].map((name) => name.toLowerCase()));
  const isOwnName = (name: string): boolean =>
    isIP(name) !== 0 || name === "localhost" || name.endsWith(".localhost") || names.has(name);
  const isAllowedName = (name: string): boolean =>
    hosts.some((allowed) =>
      allowed.startsWith(".") ? name === allowed.slice(1) || name.endsWith(allowed) : name === allowed,
    );

  // Most requests have the same header as the one before, and reading it takes longer than all other checks.
  let last: { readonly header: string; readonly name: string | undefined } | undefined;
  const nameOf = (header: string): string | undefined => {
    if (last?.header !== header) last = { header, name: hostOf(header) };
    return last.name;
  };

  return ({ headers, method }) => {
    const name = headers.host === undefined ? undefined : nameOf(headers.host);
    if (headers.host !== undefined && (name === undefined || !(isOwnName(name) || isAllowedName(name))))
      return refused(
        `host ${quoted(headers.host)} is not allowed`,
        `start the server with --allowed-host ${quotedOption(name)}`,
      );
    const origin = headers.origin;
    if (origin !== undefined && origins.has(originOf(origin))) return { kind: "allowed", origin };
    const site = headers["sec-fetch-site"];
    // Browsers set this header and pages cannot, so it is reliable even behind a proxy that changes `Host`.
    if (site === "same-origin" || site === "none") return { kind: "own" };
    if (site === undefined && (origin === undefined || isSameOrigin(origin, headers.host)))
      return { kind: "own" };
    if (site !== undefined && origin === undefined && isNavigation(headers, method)) return { kind: "own" };
    const from = origin === undefined ? "another origin" : `origin ${quoted(origin)}`;
    return refused(
      `pages from ${from} are not allowed to call this server`,
      `start the server with --allowed-origin ${origin === undefined || origin === "null" ? "<origin>" : quotedOption(origin)}`,
    );
  };
};

const refused = (what: string, wayOut: string): CallerVerdict => ({
  kind: "refused",
  reason: `${what}; to allow it, ${wayOut}`,
});

/** A link that the user follows: the page with the link does not see the response. */
const isNavigation = (headers: IncomingMessage["headers"], method: string | undefined): boolean =>
  method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** The host's name without its port, as a browser reads it: lower case, no brackets, no final dot. */
const hostOf = (header: string): string | undefined => {
  if (/[/\\?#@]/.test(header)) return undefined;
  return parseUrl(`http://${header}`)
    ?.hostname.replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
};

const originOf = (text: string): string => parseUrl(text)?.origin ?? text;

const isSameOrigin = (origin: string, host: string | undefined): boolean => {
  const page = parseUrl(origin);
  return (
    page !== undefined && host !== undefined && page.host === parseUrl(`${page.protocol}//${host}`)?.host
  );
};

const parseUrl = (text: string): URL | undefined => attempt(() => new URL(text));

const longest = 200;
const quoted = (text: string): string => `'${text.length > longest ? `${text.slice(0, longest)}…` : text}'`;
const quotedOption = (text: string | undefined): string =>
  text !== undefined && /^[\w.:/[\]-]{1,200}$/.test(text) ? text : "<name>";
