import { resolve } from "node:path";
import {
  type Endpoint,
  type ListenedEndpoint,
  type LocalEndpoint,
  openListened,
  openLocal,
  openRemote,
  openTriton,
  type OwnTriton,
  refuseUnserved,
} from "@tritype/endpoint";
import { closeAll } from "../close-all.ts";
import type { Given } from "../command.ts";
import { givenHeaders, refuseUnencrypted } from "../given-headers.ts";
import { needProfile } from "../project/need-profile.ts";
import { type Served, servedTriton } from "../served-triton.ts";
import { serverUrl } from "../server-url.ts";
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

/**
 * Opens all endpoints for a repository. @param timeoutMs Maximum time that Triton may take for an answer. @throws PipelineError as `openTriton` does; `model/unavailable` */
export const openCompared = async (
  built: Served,
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
  try {
    const triton = given.flag("no-triton")
      ? undefined
      : (runningTriton(given, built) ?? (await kept(openTriton(servedTriton(built, terminal)))));
    const headers = givenHeaders(given, terminal);
    refuseUnencrypted(
      headers,
      triton?.http,
      triton?.grpc,
      "use an http:// address, such as a forwarded port",
    );
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
    const python = given.flag("no-python")
      ? []
      : [await served(openLocal("local python", { ...options, python: "always" }))];
    const builds = [
      ...(against === undefined ? [] : [{ name: against, repository: resolve(terminal.cwd, against) }]),
      ...(profile === undefined ? [] : [{ name: `profile ${profile}`, configName: profile }]),
    ];
    const locals = [...python];
    for (const { name, ...build } of builds)
      locals.push(await served(openLocal(name, { ...options, ...build, python: "twin" })));
    return { native, others: [...locals, ...remotes], byStep: [...locals, ...remotes.slice(1)], close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** The Triton given by `--triton-url`: gRPC is on the next port, unless an option sets it. */
const runningTriton = (
  given: Given,
  { configName }: Served,
): Pick<OwnTriton, "http" | "grpc" | "python" | "configName"> | undefined => {
  const url = given.text("triton-url");
  if (url === undefined) return undefined;
  const { href, hostname, port } = serverUrl(url, "triton-url");
  const grpc = given.text("triton-grpc") ?? `${hostname}:${Number(port || 80) + 1}`;
  return { http: href, grpc, python: undefined, configName };
};
