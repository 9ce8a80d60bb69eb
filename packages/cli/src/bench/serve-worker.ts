import { messageOf, PipelineError } from "@tritype/core";
import { refuseUnserved } from "@tritype/endpoint";
import { startRuntime } from "@tritype/runtime";
import { createExtensions, serveGrpc, serveHttp } from "@tritype/server";
import { closeAll } from "../close-all.ts";
import { letHeapGrow } from "../dev/let-heap-grow.ts";
import type { ServeMessage, ServeStart } from "./serve-messages.ts";

/** Drops what models print while the server ends, after the other process has closed the channel. */
const say = (message: ServeMessage): void => {
  // The other process may end at any time.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};

/** Called when the other process has closed the channel; until models are loaded, there is nothing to finish. */
let end: () => unknown = () => process.exit(0);
process.once("disconnect", () => end());

const serve = async ({ repository, device, python, configName }: ServeStart): Promise<void> => {
  letHeapGrow();
  const runtime = await startRuntime({
    repository,
    device,
    python,
    configName,
    pythonCommand: process.env["TRITYPE_PYTHON"],
    notice: (text) => say({ kind: "note", text }),
  });
  // The other process sends no more requests, and reads no more answers.
  const close: (() => Promise<void>)[] = [() => runtime.close(true)];
  end = async () => {
    await closeAll(close).catch((error: unknown) => {
      process.stderr.write(`${messageOf(error)}\n`);
      process.exit(1);
    });
    process.exit(0);
  };
  refuseUnserved(runtime.models());
  const extensions = createExtensions();
  close.push(() => extensions.close());
  const http = await serveHttp(runtime, { port: 0, extensions });
  close.push(() => http.close());
  const grpc = await serveGrpc(runtime, { port: 0, extensions });
  close.push(() => grpc.close());
  say({ kind: "serving", http: http.url, grpc: grpc.address });
};

// Ctrl-C in a terminal and SIGTERM from `timeout` reach both processes; the measuring one decides when this one exits.
process.on("SIGINT", () => undefined).on("SIGTERM", () => undefined);
process.once("message", (start: ServeStart) => {
  serve(start).catch((error: unknown) => {
    if (!PipelineError.is(error)) throw error;
    const { code, reason, message: text, help } = error;
    say({ kind: "failed", code, reason, text, ...(help === undefined ? {} : { help }) });
  });
});
