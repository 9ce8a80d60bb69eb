import { fork } from "node:child_process";
import { once } from "node:events";
import { foreignError } from "@tritype/core";
import { openTriton, type OwnServer } from "@tritype/endpoint";
import { type Served, servedTriton } from "../served-triton.ts";
import { serverUrl } from "../server-url.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import type { ServeMessage, ServeStart } from "./serve-messages.ts";
import { cliError } from "../errors.ts";

/**
 * The server under test and how to reach it; at least one of the addresses is present. Load is sent to the addresses
 * directly, without a client.
 */
export interface BenchServer extends OwnServer {
  readonly kind: "dev" | "triton" | "url";
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const never = new Promise<string>(() => {});

/** A server that is already running; its exit is not observed here. */
export const namedServer = (
  url: string | undefined,
  grpcUrl: string | undefined,
  headers?: BenchServer["headers"],
): BenchServer => ({
  kind: "url",
  http: url === undefined ? undefined : serverUrl(url, "url").href,
  grpc: grpcUrl,
  headers,
  ended: never,
  close: async () => undefined,
});

/** A real Triton that serves the repository. */
export const tritonServer = async (served: Served, terminal: Terminal): Promise<BenchServer> => ({
  ...(await openTriton(servedTriton(served, terminal))),
  kind: "triton",
});

// Node 20 cannot load `.ts` in a child process, so when running from source (as under vitest), the built file is
// started.
const entry = new URL("./serve-worker.js", import.meta.url.replace("/src/bench/", "/dist/bench/"));

/** Milliseconds that a server gets to end while it loads its models. */
const abandonMs = 500;

/**
 * Our own server, in a separate process, so that load and responses do not share a thread.
 * @param signal Ends it if it is aborted before the server listens. Default: never.
 * @param flags Flags of its Node.js. Default: none.
 */
export const devServer = async (
  start: ServeStart,
  terminal: Terminal,
  signal?: AbortSignal,
  flags: readonly string[] = [],
): Promise<BenchServer> => {
  const child = fork(entry, [], {
    execArgv: ["--enable-source-maps", ...flags],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(([code, signal]) =>
    signal === null ? `exit code ${code}` : `signal ${signal}`,
  );
  const close = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await ended;
  };
  child.send(start);
  const opened = new Promise<ServeMessage & { readonly kind: "serving" | "failed" }>((resolve, reject) => {
    child.on("message", (message: ServeMessage) => {
      if (message.kind === "note") noticeOf(terminal)(message.text);
      else resolve(message);
    });
    void ended.then((how) => reject(cliError("server/ended", { how })));
  });
  const abandon = (): void => {
    if (child.connected) child.disconnect();
    setTimeout(() => child.kill("SIGKILL"), abandonMs).unref();
  };
  signal?.addEventListener("abort", abandon);
  if (signal?.aborted === true) abandon();
  const message = await opened.finally(() => signal?.removeEventListener("abort", abandon));
  if (message.kind === "failed") {
    await close();
    const { code, reason, text, help } = message;
    throw foreignError(code, text, { reason, help });
  }
  return { kind: "dev", http: message.http, grpc: message.grpc, ended, close };
};
