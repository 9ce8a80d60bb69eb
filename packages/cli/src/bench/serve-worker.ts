import { messageOf, PipelineError } from "@tritype/core";
import { refuseUnserved } from "@tritype/endpoint";
import { startRuntime } from "@tritype/runtime";
import { createExtensions, serveGrpc, serveHttp } from "@tritype/server";
import { closeAll } from "../close-all.ts";
import { letHeapGrow } from "../dev/let-heap-grow.ts";
import type { ServeMessage, ServeRequest, ServeStart } from "./serve-messages.ts";

/** Drops what models print while the server ends, after the other process has closed the channel. */
const say = (message: ServeMessage): void => {
  // The other process may end at any time.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};

/** The running servers, each with the functions that close it. */
const servers = new Map<number, (() => Promise<void>)[]>();

const close = async (id: number): Promise<void> => {
  const closers = servers.get(id) ?? [];
  servers.delete(id);
  await closeAll(closers);
};

const serve = async (id: number, start: ServeStart): Promise<void> => {
  const { repository, device, python, configName, responseCache } = start;
  const runtime = await startRuntime({
    repository,
    device,
    python,
    configName,
    responseCache,
    pythonCommand: process.env["TRITYPE_PYTHON"],
    notice: (text) => say({ kind: "note", text }),
  });
  // The other process sends no more requests, and reads no more answers.
  const closers: (() => Promise<void>)[] = [() => runtime.close(true)];
  servers.set(id, closers);
  refuseUnserved(runtime.models());
  const extensions = createExtensions();
  closers.push(() => extensions.close());
  const http = await serveHttp(runtime, { port: 0, extensions });
  closers.push(() => http.close());
  const grpc = await serveGrpc(runtime, { port: 0, extensions });
  closers.push(() => grpc.close());
  say({ kind: "serving", id, http: http.url, grpc: grpc.address });
};

const answer = async ({ id, start }: ServeRequest): Promise<void> => {
  if (start === undefined) {
    await close(id);
    return say({ kind: "closed", id });
  }
  try {
    await serve(id, start);
  } catch (error) {
    await close(id);
    if (!PipelineError.is(error)) throw error;
    const { code, reason, message: text, help } = error;
    say({ kind: "failed", id, code, reason, text, ...(help === undefined ? {} : { help }) });
  }
};

/** Called when the other process has closed the channel. While models are loaded, there is nothing to finish. */
const end = async (): Promise<void> => {
  await closeAll([...servers.keys()].map((id) => () => close(id))).catch((error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  });
  process.exit(0);
};

letHeapGrow();
process.once("disconnect", () => void end());
// Ctrl-C in a terminal and SIGTERM from `timeout` reach both processes; the measuring one decides when this one exits.
process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);
process.on("message", (request: ServeRequest) => void answer(request));
