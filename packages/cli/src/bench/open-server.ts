import { fork } from "node:child_process";
import { once } from "node:events";
import { foreignError } from "@tritype/core";
import { openTriton, type OwnServer } from "@tritype/endpoint";
import { type Served, servedTriton } from "../served-triton.ts";
import { serverUrl } from "../server-url.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { orClosed } from "../close-all.ts";
import { cliError } from "../errors.ts";
import type { ServeAnswer, ServeMessage, ServeRequest, ServeStart } from "./serve-messages.ts";

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

/** A process of our own servers, so that load and answers do not share a thread. */
export interface DevProcess {
  /**
   * Serves one more repository at its own address. If the process has ended, a new one starts.
   * @param signal Ends the process if it is aborted before the server listens. Default: never.
   */
  serve(start: ServeStart, signal?: AbortSignal): Promise<BenchServer>;
  /** Ends the process and its servers. */
  close(): Promise<void>;
}

/** @param flags Flags of its Node.js. Default: none. */
export const devProcess = (terminal: Terminal, flags: readonly string[] = []): DevProcess => {
  let running: ReturnType<typeof startProcess> | undefined;
  let count = 0;
  return {
    serve: async (start, signal) => {
      const own = (running ??= startProcess(terminal, flags));
      void own.ended.then(() => {
        if (running === own) running = undefined;
      });
      const id = count++;
      signal?.addEventListener("abort", own.abandon);
      if (signal?.aborted === true) own.abandon();
      const answer = await own
        .ask({ id, start })
        .finally(() => signal?.removeEventListener("abort", own.abandon));
      if (answer.kind === "failed") {
        const { code, reason, text, help } = answer;
        throw foreignError(code, text, { reason, help });
      }
      const { http, grpc } = answer as ServeAnswer & { readonly kind: "serving" };
      // A process that has ended has closed its servers.
      const close = async (): Promise<void> => void (await own.ask({ id }).catch(() => undefined));
      return { kind: "dev", http, grpc, ended: own.ended, close };
    },
    close: async () => running?.close(),
  };
};

/** Our own server in its own process. */
export const devServer = async (start: ServeStart, terminal: Terminal): Promise<BenchServer> => {
  const own = devProcess(terminal);
  const server = await orClosed(own, () => own.serve(start));
  return { ...server, close: own.close };
};

const startProcess = (terminal: Terminal, flags: readonly string[]) => {
  const child = fork(entry, [], {
    execArgv: ["--enable-source-maps", ...flags],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(([code, signal]) =>
    signal === null ? `exit code ${code}` : `signal ${signal}`,
  );
  const asked = new Map<number, (answer: ServeAnswer) => void>();
  child.on("message", (message: ServeMessage) => {
    if (message.kind === "note") noticeOf(terminal)(message.text);
    else asked.get(message.id)?.(message);
  });
  return {
    ended,
    /** @throws PipelineError `server/ended` */
    ask: (request: ServeRequest): Promise<ServeAnswer> =>
      new Promise((resolve, reject) => {
        asked.set(request.id, resolve);
        void ended.then((how) => reject(cliError("server/ended", { how })));
        child.send(request, () => {});
      }),
    abandon: () => {
      if (child.connected) child.disconnect();
      setTimeout(() => child.kill("SIGKILL"), abandonMs).unref();
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
};
