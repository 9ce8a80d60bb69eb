import { readFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { inspect } from "node:util";
import type { DType } from "@tritype/core";
import type { NodeTwinOptions } from "@tritype/manifest";
import {
  type Declared,
  type Frame,
  frameKinds,
  frameReader,
  type Part,
  printFailure,
  printFrame,
  printTensors,
  readRequests,
} from "../frame.ts";
import { tellError } from "../tell-error.ts";
import { openCalls } from "./calls.ts";
import { execute, type Execution, type HostedRun } from "./execution.ts";
import { limitFetch } from "./request-context.ts";

/** `node host.mjs <descriptor that it reads> <descriptor that it writes>`: answers the requests of one model with the `run.mjs` in its folder. */
const [input = 3, output = 4] = process.argv.slice(2).map(Number);
const folder = import.meta.dirname;
const options = JSON.parse(
  readFileSync(new URL("function.json", import.meta.url), "utf8"),
) as NodeTwinOptions;
const declared = Object.entries(options.inputs).map(
  ([name, { dtype }]): Declared => ({ name, dtype: dtype as DType }),
);
const outputs = Object.keys(options.outputs);

const tell = (error: unknown): string => tellError(error, folder);

const spare = new Uint32Array(2 ** 12);

const post = (kind: number, id: number, index: number, body: readonly Part[] = []): void => {
  const frame = printFrame(kind, id, index, body, spare);
  for (let at = 0; at < frame.byteLength; ) at += writeSync(output, frame, at);
};

const encoder = new TextEncoder();

/** A function must not end the process, and what it leaves behind must not either. */
const guard = (): void => {
  const refuse = (name: string) => (): never => {
    throw new Error(`${name}() was called, which would end the model`);
  };
  process.exit = refuse("process.exit");
  process.abort = refuse("process.abort");
  Object.assign(process, { reallyExit: refuse("process.reallyExit") });
  const report = (error: unknown): void => void process.stderr.write(`${inspect(error)}\n`);
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
};

/** Nothing that the function has left behind, such as a timer, keeps the process alive. */
const end = (): void => void process.kill(process.pid, "SIGKILL");

const serve = (run: HostedRun): void => {
  const calls = openCalls(options.calls ?? {}, post);
  const hosted = { run, options, tell, calleesFor: calls.calleesFor };
  const executions = new Map<number, Execution>();
  const begin = (frame: Frame): void => {
    const { id } = frame;
    let waiting = frame.index;
    const settled = (): void => {
      if (--waiting === 0) executions.delete(id);
    };
    const execution = execute(hosted, readRequests(frame, declared), {
      answer: (index, tensors) => {
        const body = printTensors(tensors, outputs);
        settled();
        post(frameKinds.answer, id, index, body);
      },
      fail: (index, code, text) => {
        settled();
        post(frameKinds.failure, id, index, printFailure(code, text));
      },
      begun: (index) => post(frameKinds.begun, id, index),
    });
    if (waiting > 0) executions.set(id, execution);
  };
  const read = frameReader((frame) => {
    if (frame.kind === frameKinds.execute) begin(frame);
    else if (frame.kind === frameKinds.cancel) executions.get(frame.id)?.cancel(frame.index);
    else calls.settle(frame);
  });
  const callback = (size: number, bytes: Uint8Array): boolean => {
    read(bytes.subarray(0, size));
    return true;
  };
  // Reads into one buffer again and again, without a stream's own work.
  const pipe = {
    fd: input,
    readable: true,
    writable: false,
    onread: { buffer: new Uint8Array(2 ** 16), callback },
  };
  const socket = new Socket(pipe);
  for (const event of ["end", "close", "error"]) socket.on(event, end);
  socket.resume();
};

try {
  guard();
  limitFetch();
  const { run } = (await import(new URL("run.mjs", import.meta.url).href)) as { readonly run: HostedRun };
  serve(run);
  post(frameKinds.ready, 0, 0);
} catch (error) {
  post(frameKinds.refused, 0, 0, [encoder.encode(tell(error))]);
  end();
}
