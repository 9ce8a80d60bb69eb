import { resolve } from "node:path";
import {
  type Endpoint,
  type ListenedEndpoint,
  type LocalEndpoint,
  openListened,
  openLocal,
  openRemote,
  openTriton,
  refuseUnserved,
} from "@tritype/endpoint";
import { closeAll, orClosed } from "../close-all.ts";
import type { Given } from "../command.ts";
import { givenHeaders, refuseUnencrypted } from "../given-headers.ts";
import { needProfile } from "../project/need-profile.ts";
import { type Served, servedTriton } from "../served-triton.ts";
import { grpcAddress, serverUrl } from "../server-url.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** The endpoints that get the same requests. */
export interface Compared {
  /** The local runtime with its native twins; all other endpoints must give the same responses. */
  readonly native: ListenedEndpoint;
  /**
   * The local runtime with the emitted Python, with another build or another profile, and Triton over HTTP and over gRPC, as far as the
   * options select them.
   */
  readonly others: readonly Endpoint[];
  /** The other endpoints whose steps can be compared; for Triton, the one over gRPC, which has no size limit for tensors. */
  readonly byStep: readonly Endpoint[];
  close(): Promise<void>;
}

interface Closeable {
  close(): Promise<void>;
}

/** The options for a running server. */
export interface GivenTriton {
  /** Undefined if this command starts a Triton, or if none is compared. */
  readonly running: { readonly http: string; readonly grpc: string } | undefined;
  readonly headers: Headers;
}
type Headers = ReturnType<typeof givenHeaders>;

/** @throws PipelineError `usage/invalid` */
export const givenTriton = (given: Given, terminal: Pick<Terminal, "env">): GivenTriton => {
  const url = given.text("triton-url");
  const headers = givenHeaders(given, terminal);
  if (url === undefined) return { running: undefined, headers };
  const { href, hostname, port, protocol } = serverUrl(url, "triton-url");
  // gRPC is on the next port, unless an option sets it.
  const grpc =
    grpcAddress(given, "triton-grpc") ??
    `${hostname}:${Number(port || (protocol === "https:" ? 443 : 80)) + 1}`;
  refuseUnencrypted(headers, href, grpc, "use an http:// address, such as a forwarded port");
  return { running: { http: href, grpc }, headers };
};

/**
 * Opens all endpoints for a repository. @param timeoutMs Maximum time that Triton may take for an answer.
 * @throws PipelineError as `openTriton` does; `model/unavailable`
 */
export const openCompared = async (
  built: Served,
  { running, headers }: GivenTriton,
  given: Given,
  terminal: Terminal,
  timeoutMs: number,
): Promise<Compared> => {
  const against = given.text("against");
  const profile = given.text("against-profile");
  await needProfile(built.repository, profile, terminal);
  const opened: Closeable[] = [];
  const kept = async <T extends Closeable>(opening: Promise<T>): Promise<T> => {
    const one = await opening;
    opened.push(one);
    return one;
  };
  const served = async <E extends LocalEndpoint>(opening: Promise<E>): Promise<E> => {
    const local = await kept(opening);
    refuseUnserved(local.runtime.models());
    return local;
  };
  const close = (): Promise<void> => closeAll(opened.map((one) => () => one.close()));
  return orClosed({ close }, async () => {
    const triton = given.flag("no-triton")
      ? undefined
      : running === undefined
        ? await kept(openTriton(servedTriton(built, terminal)))
        : { ...running, python: undefined, configName: built.configName };
    const remotes =
      triton === undefined
        ? []
        : [
            await kept(openRemote("triton http", { http: triton.http }, { headers, timeoutMs })),
            await kept(openRemote("triton grpc", { grpc: triton.grpc }, { headers, timeoutMs })),
          ];
    const options = {
      repository: built.repository,
      configName: (triton ?? built).configName,
      device: "cpu",
      pythonCommand: terminal.env["TRITYPE_PYTHON"] ?? triton?.python,
      notice: noticeOf(terminal),
    } as const;
    const native = await served(openListened("local native", { ...options, python: "twin" }));
    const runs = [
      ...(given.flag("no-python") ? [] : [{ name: "local python", python: "always" as const }]),
      ...(against === undefined ? [] : [{ name: against, repository: resolve(terminal.cwd, against) }]),
      ...(profile === undefined ? [] : [{ name: `profile ${profile}`, configName: profile }]),
    ];
    const locals: LocalEndpoint[] = [];
    for (const { name, ...run } of runs)
      locals.push(await served(openLocal(name, { ...options, python: "twin", ...run })));
    return { native, others: [...locals, ...remotes], byStep: [...locals, ...remotes.slice(1)], close };
  });
};
