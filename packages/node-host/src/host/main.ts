import { existsSync, readFileSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { inspect } from "node:util";
import type { NodeTwinOptions } from "@tritype/manifest";
import {
  type Frame,
  frameKinds,
  frameReader,
  FrameWriter,
  type Part,
  printFailure,
  printFrame,
  readRequests,
} from "../frame.ts";
import { placeText } from "../function-failure.ts";
import type { Output } from "../function-values.ts";
import { tellError } from "../tell-error.ts";
import { openCalls } from "./calls.ts";
import { type Answers, Execution, hostedRun, type HostedRun } from "./execution.ts";
import { withoutInnerFrames } from "./call-site.ts";
import { limitFetch } from "./limit-fetch.ts";
import type { JsonReaders } from "./with-json.ts";

/**
 * `node host.mjs <descriptor that it reads> <descriptor that it writes> [<another>]`: answers the requests of one model
 * with the `run.mjs` in its folder. Frames that no caller waits for go to the third pipe, so that they are not lost
 * when the process exits and do not wake the model.
 */
const [input = 3, output = 4, quiet] = process.argv.slice(2).map(Number);
const folder = import.meta.dirname;
const options = JSON.parse(
  readFileSync(new URL("function.json", import.meta.url), "utf8"),
) as NodeTwinOptions;

/** Writes an error with its frames outside Node and this host, or with all frames if there are no others. */
const report = (error: unknown): void => {
  const all = inspect(error);
  const short = withoutInnerFrames(all);
  process.stderr.write(`${/\n +at /.test(short) ? short : all}\n`);
};

/** The causes of an error, and all that it has collected, only go to the log. */
const tell = (error: unknown): string => {
  if (error instanceof Error && (error.cause !== undefined || error instanceof AggregateError)) report(error);
  return tellError(error, folder, placeText(options));
};

/**
 * A pipe has room for them, however they are split: it has 16 pages, and two frames share a page only if they fit into
 * it.
 */
const quietBytes = 2 ** 14;

const write = (pipe: number, frame: Uint8Array): void => {
  for (let at = 0; at < frame.byteLength; ) at += writeSync(pipe, frame, at);
};

const post = (kind: number, id: number, index: number, body: readonly Part[] = []): void =>
  write(output, printFrame(kind, id, index, body));

const writer = new FrameWriter();

const encoder = new TextEncoder();

/** Neither a function nor anything that it leaves behind may end the process. */
const guard = (): void => {
  const refuse = (name: string) => (): never => {
    throw new Error(`${name}() was called, which would end the model`);
  };
  process.exit = refuse("process.exit");
  process.abort = refuse("process.abort");
  Object.assign(process, { reallyExit: refuse("process.reallyExit") });
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
};

/** Leftovers from the function, such as a timer, do not keep the process alive. */
const end = (): void => void process.kill(process.pid, "SIGKILL");

/** The executions with requests that have not been answered. */
const executions = new Map<number, Execution>();

/** Writes the answers to one frame of requests. */
class FrameAnswers implements Answers {
  readonly #id: number;
  #waiting: number;
  #room = quiet === undefined ? 0 : quietBytes;

  constructor({ id, index: count }: Frame) {
    this.#id = id;
    this.#waiting = count;
  }

  answer(request: number, outputs: readonly Output[]): void {
    this.#settle(writer.print(frameKinds.answer, this.#id, request, outputs));
  }

  fail(request: number, code: 0 | 1, text: string): void {
    this.#settle(printFrame(frameKinds.failure, this.#id, request, printFailure(code, text)));
  }

  begun(request: number): void {
    post(frameKinds.begun, this.#id, request);
  }

  #settle(printed: Uint8Array): void {
    const isQuiet = --this.#waiting > 0 && printed.byteLength <= this.#room;
    if (isQuiet) this.#room -= printed.byteLength;
    if (this.#waiting === 0) executions.delete(this.#id);
    write(isQuiet && quiet !== undefined ? quiet : output, printed);
  }
}

const serve = (run: HostedRun, readers: JsonReaders | undefined): void => {
  const calls = openCalls(options.calls ?? {}, {
    call: (id, callee, integers, inputs) =>
      write(output, writer.print(frameKinds.call, id, callee, inputs, integers)),
    cancel: (id) => post(frameKinds.cancel, id, 0),
  });
  const hosted = hostedRun({ run, options, tell, calleesFor: calls.calleesFor }, readers);
  // A function of rows gets copies of its rows. A function of all rows gets views, which it may keep.
  const isLent = (kind: number): boolean => kind === frameKinds.execute && options.per === "row";
  const read = frameReader((frame) => {
    if (frame.kind === frameKinds.execute) {
      const execution = new Execution(hosted, new FrameAnswers(frame));
      executions.set(frame.id, execution);
      execution.run(readRequests(frame));
    } else if (frame.kind === frameKinds.cancel) executions.get(frame.id)?.cancel(frame.index);
    else if (frame.kind !== frameKinds.wake) calls.settle(frame);
  }, isLent);
  const chunk = Buffer.allocUnsafeSlow(2 ** 16);
  const callback = (size: number): boolean => {
    read(chunk.subarray(0, size));
    return true;
  };
  // Reads into one buffer repeatedly, without the overhead of a stream.
  const pipe = {
    fd: input,
    readable: true,
    writable: false,
    onread: { buffer: chunk, callback },
  };
  const socket = new Socket(pipe);
  for (const event of ["end", "close", "error"]) socket.on(event, end);
  socket.resume();
};

try {
  guard();
  limitFetch();
  const { run } = (await import(new URL("run.mjs", import.meta.url).href)) as { readonly run: HostedRun };
  const inputs = new URL("inputs.mjs", import.meta.url);
  const readers = existsSync(inputs)
    ? ((await import(inputs.href)) as { readonly default: JsonReaders }).default
    : undefined;
  serve(run, readers);
  post(frameKinds.ready, 0, 0);
} catch (error) {
  post(frameKinds.refused, 0, 0, [encoder.encode(tell(error))]);
  end();
}
