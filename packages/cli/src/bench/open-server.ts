import { fork } from "node:child_process";
import { once } from "node:events";
import { PipelineError } from "@tritype/core";
import { serverUrl } from "../server-url.ts";
import type { Terminal } from "../terminal.ts";
import { tritonFor } from "../triton/triton-for.ts";
import type { ServeMessage, ServeStart } from "./serve-messages.ts";

/** What is asked, and how it is reached; at least one of the addresses is there. */
export interface BenchServer {
  readonly kind: "dev" | "triton" | "url";
  readonly http: string | undefined;
  readonly grpc: string | undefined;
  /** How it ended by itself; never for a server that is not ours. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

const never = new Promise<string>(() => {});

/** A server that runs already. */
export const namedServer = (url: string | undefined, grpcUrl: string | undefined): BenchServer => ({
  kind: "url",
  http: url === undefined ? undefined : serverUrl(url, "url").href,
  grpc: grpcUrl?.replace(/^grpc:\/\//, ""),
  ended: never,
  stop: async () => undefined,
});

/** A real Triton with the repository. */
export const tritonServer = async (
  repository: string,
  asked: string | undefined,
  terminal: Terminal,
): Promise<BenchServer> => {
  const { serveTriton } = await import("@tritype/tritonserver");
  const { installation, configName } = await tritonFor(repository, asked, terminal);
  const server = await serveTriton(installation, { repository, configName });
  try {
    await server.waitReady();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    kind: "triton",
    http: server.httpUrl,
    grpc: server.grpcAddress,
    ended: server.ended,
    stop: () => server.stop(),
  };
};

// Node 20 loads no `.ts` in a child, so sources (as under vitest) start the built file.
const entry = new URL("./serve-worker.js", import.meta.url.replace("/src/bench/", "/dist/bench/"));

/** Our own server, in a process of its own, so that load and answers do not share a thread. */
export const devServer = async (start: ServeStart, terminal: Terminal): Promise<BenchServer> => {
  const child = fork(entry, [], {
    execArgv: ["--enable-source-maps"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit").then(([code, signal]) =>
    signal === null ? `exit code ${code}` : `signal ${signal}`,
  );
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await ended;
  };
  child.send(start);
  const opened = new Promise<ServeMessage & { readonly kind: "serving" | "failed" }>((resolve, reject) => {
    child.on("message", (message: ServeMessage) => {
      if (message.kind === "note") terminal.note(`${terminal.colors.dim("note")} ${message.text}`);
      else resolve(message);
    });
    void ended.then((how) =>
      reject(new PipelineError("server/unreachable", `the server ended before it listened (${how})`)),
    );
  });
  const message = await opened;
  if (message.kind === "failed") {
    await stop();
    const { code, text, help } = message;
    throw new PipelineError(code, text, help === undefined ? {} : { help });
  }
  return { kind: "dev", http: message.http, grpc: message.grpc, ended, stop };
};
