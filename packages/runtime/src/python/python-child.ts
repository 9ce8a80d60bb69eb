import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { invariant, foreignError, type PipelineError } from "@tritype/core";
import { type Caller, hasFailed, isRescheduled, type ModelRequest, type ModelResult } from "../backend.ts";
import { onceAborted } from "../scheduling/cancellation.ts";
import { createChildAddress, type Transport } from "./child-address.ts";
import { type ChildCalls, createChildCalls } from "./child-calls.ts";
import { ChildConnection, ChildExited } from "./child-connection.ts";
import { ChildOutput } from "./child-output.ts";
import { type Deferred, defer } from "./deferred.ts";
import { ChildTraces } from "./child-traces.ts";
import { packRequests, unpackResults } from "./execute-message.ts";
import { OpenReplies } from "./open-replies.ts";
import { type FoundPython, numpyMissing, packageHelp } from "./find-python.ts";
import { type Frame, type FrameReader, frameType, protocolVersion } from "./frame.ts";
import type { ModelHost } from "./model-host.ts";
import { Packer, Unpacker } from "./packed.ts";

export interface ChildOptions {
  /** The interpreter's path. */
  readonly python: string;
  /** Variables that the interpreter needs in addition to this process's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Calls from models. */
  readonly host: ModelHost;
  /** Called with the interpreter of the process, before the model is loaded. */
  readonly onPython?: (python: FoundPython) => void;
  /** The model's name. */
  readonly model: string;
  /** The instance's name, `<group>_<index>`. */
  readonly instance: string;
  /** Lines for the user: output and logs of the model. */
  readonly notice: (text: string) => void;
  /** How the process is connected: by default `unix` if supported, otherwise `tcp` on the loopback interface with a token. */
  readonly transport?: Transport;
  /** Milliseconds that a model's `finalize` may take before its process is killed; default 5000. */
  readonly stopGrace?: number;
  /**
   * Milliseconds that one execution may take before its process is killed and restarted; default: no limit, as in
   * Triton.
   */
  readonly executionLimit?: number | undefined;
}

const childFolder = fileURLToPath(new URL("../../python", import.meta.url));
const announcement = /^tritype-child listens (\d+)$/;
const startLimit = 30_000;
const terminateGrace = 2000;
const connectionGrace = 500;
const levels = ["INFO", "WARNING", "ERROR", "VERBOSE"];
/** The failure of a decoupled request that the model can no longer end. */
const unfinished = (instance: string): PipelineError =>
  foreignError(
    "model/failed",
    `Python model '${instance}' deleted the response sender of a request without marking a response as the last (Triton would let the client wait until its deadline). Add flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL to send().`,
  );

/** The failure of a request during which its process ended. */
export const crashed = (instance: string, exit: ChildExited): PipelineError =>
  foreignError(
    "model/failed",
    `Stub process '${instance}' is not healthy. It ${exit.message} while it ran this request.`,
    { cause: exit },
  );

/** One Python process with one instance of a model. */
export class PythonChild {
  /** Resolves with how the process ended. Never rejects. */
  readonly exited: Promise<string>;
  readonly #options: ChildOptions;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #output: ChildOutput;
  readonly #connection: ChildConnection;
  readonly #calls: ChildCalls;
  readonly #replies: OpenReplies;
  readonly #traces: ChildTraces = new ChildTraces();
  readonly #ended: Deferred<string> = defer();
  #callers: readonly Caller[] = [];
  #executable = "";
  /** The reason why this side ended the process. */
  #reason: string | undefined;

  /** @throws PipelineError `tool/missing` without numpy, `repository/invalid` if the process does not start. */
  static async start(options: ChildOptions): Promise<PythonChild> {
    const address = await createChildAddress(options.transport);
    const child = new PythonChild(options);
    try {
      const port = await child.#announced(JSON.stringify(address.input));
      const connection = child.#connection;
      const open = (reader?: FrameReader) => address.connect(port, () => child.#broken(), reader);
      connection.use(await open(connection.reader), await open());
      child.#greet(new Unpacker((await connection.hello).meta));
      child.#letGo();
      return child;
    } catch (error) {
      child.#kill("SIGKILL");
      await child.exited;
      throw error instanceof ChildExited ? child.#loadFailure(error) : error;
    } finally {
      await address.remove();
    }
  }

  private constructor(options: ChildOptions) {
    this.#options = options;
    this.#output = new ChildOutput((line) => options.notice(`[${options.instance}] ${line}`));
    this.#calls = createChildCalls(options.host, options.model, this.#traces);
    this.#connection = new ChildConnection({
      log: (level, text) => this.#log(level, text),
      call: (frame) => void this.#answer(frame),
      response: (frame) => this.#deliver(frame),
      expects: () => this.#replies.size > 0,
    });
    this.#replies = new OpenReplies({
      cancel: (execution, index) => this.#cancel(execution, index),
      acknowledge: (execution, index) => this.#tellOf(frameType.acknowledge, execution, index),
      dropped: () => {
        const error = unfinished(options.instance);
        options.notice(`[${options.instance}] ${error.message}`);
        return { error, counts: "answer" };
      },
    });
    this.exited = this.#ended.promise;
    // The child has its own process group, so that Ctrl-C does not reach it and its own child processes end with it.
    const detached = process.platform !== "win32";
    this.#process = spawn(options.python, ["-u", "-B", "-X", "utf8=0", childFolder], {
      stdio: "pipe",
      detached,
      windowsHide: true,
      // The build owns its folder: no bytecode next to the models.
      env: { ...process.env, ...options.environment, PYTHONDONTWRITEBYTECODE: "1" },
    });
    this.#process.stdin.on("error", () => undefined);
    this.#process.on("error", (error) => this.#finish(`could not be started (${error.message})`));
    this.#process.on("exit", (code, signal) => {
      this.#kill("SIGKILL");
      const end = signal === null ? `ended with exit code ${code}` : `ended by signal ${signal}`;
      const how = this.#reason ?? end;
      const outputRead = new Promise((resolve) => this.#process.once("close", resolve));
      void Promise.race([outputRead, sleep(100)]).then(() => this.#finish(how));
    });
    this.#output.forward(this.#process.stderr);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** @throws PipelineError `model/failed` with Triton's text if the import or `initialize` fails. */
  async initialize(modelPath: string, args: Readonly<Record<string, string>>): Promise<void> {
    await this.#prepare(frameType.initialize, { "@path": modelPath, ...args });
  }

  /**
   * The configuration (JSON) after the model's `auto_complete_config`.
   * @throws PipelineError `model/failed` with Triton's text if the import or the method fails.
   */
  async completeConfig(modelPath: string, name: string, config: string): Promise<string> {
    const texts = { "@path": modelPath, model_name: name, model_config: config };
    return (await this.#prepare(frameType.autoComplete, texts)).text();
  }

  /**
   * Runs requests. The responses of a decoupled model go to each request's `reply`, even after this has resolved.
   * @param callers The executions that wait for the model's calls in the meantime.
   * @throws ChildExited if the process ends before it responds.
   */
  async execute(
    requests: readonly ModelRequest[],
    callers: readonly Caller[] = [],
  ): Promise<readonly ModelResult[]> {
    const traces = requests.map(({ trace }) => this.#traces.add(trace));
    const { meta, body } = packRequests(requests, traces);
    this.#callers = callers;
    const id = this.#connection.nextId();
    const streams = requests.some(({ reply }) => reply !== undefined);
    const read = (done: Frame): readonly ModelResult[] => {
      const results = unpackResults(done, requests.length);
      return streams ? results.map((result, index) => this.#returned(result, id, index)) : results;
    };
    const answer = this.#connection.askWithId(id, frameType.execute, meta, body, read);
    if (streams) this.#replies.add(id, requests, (index) => this.#traces.remove(traces[index] ?? 0));
    const stopListening = streams
      ? []
      : requests.map(({ signal }, index) => onceAborted(signal, () => this.#cancel(id, index)));
    const deadline = this.#startDeadline();
    try {
      return await answer;
    } catch (error) {
      throw error instanceof ChildExited ? error : new ChildExited(this.#unreadable(error));
    } finally {
      clearTimeout(deadline);
      for (const stop of stopListening) stop();
      if (!streams) for (const trace of traces) this.#traces.remove(trace);
    }
  }

  /** How a decoupled model's execution has ended for one of its requests. */
  #returned(result: ModelResult, id: number, index: number): ModelResult {
    if (hasFailed(result)) this.#replies.fail(result, [id]);
    return isRescheduled(result) && !this.#replies.reschedule(id, index) ? { outputs: new Map() } : result;
  }

  /**
   * Runs `finalize` after the current execution, then ends the process: first by a request, then by SIGTERM, then by SIGKILL.
   */
  async stop(): Promise<void> {
    this.#process.ref();
    this.#connection.ask(frameType.finalize).catch(() => undefined);
    if (await this.#endsWithin(this.#options.stopGrace ?? 5000)) return;
    this.#kill("SIGTERM");
    if (await this.#endsWithin(terminateGrace)) return;
    this.#kill("SIGKILL");
    await this.exited;
  }

  async #prepare(type: number, texts: Readonly<Record<string, string>>): Promise<Unpacker> {
    const entries = Object.entries(texts);
    const meta = new Packer().u32(entries.length);
    for (const [name, value] of entries) meta.text(name).text(value);
    const answer = await this.#connection.ask(type, meta.finish()).catch((error: unknown) => {
      throw error instanceof ChildExited ? this.#loadFailure(error) : error;
    });
    const text = new Unpacker(answer.meta);
    if (answer.type !== frameType.fail) return text;
    const failure = text.text();
    // A model with its own environment gets its packages from there.
    const help = this.#options.environment === undefined ? packageHelp(this.#executable, failure) : undefined;
    throw foreignError("model/failed", failure, help === undefined ? {} : { help });
  }

  /** Running code can only be stopped by ending its process. */
  #startDeadline(): NodeJS.Timeout | undefined {
    const limit = this.#options.executionLimit;
    if (limit === undefined) return undefined;
    return setTimeout(() => {
      this.#reason = `was killed after ${limit / 1000} s, the limit of one execution,`;
      this.#kill("SIGKILL");
    }, limit);
  }

  #cancel(execution: number, index: number): void {
    this.#tellOf(frameType.cancel, execution, index);
  }

  /** Sends a frame about one request of an execution. */
  #tellOf(type: number, execution: number, index: number): void {
    this.#connection.tell(type, execution, new Packer().u32(index).finish());
  }

  #deliver(frame: Frame): void {
    try {
      this.#replies.deliver(frame);
    } catch (error) {
      this.#reason ??= this.#unreadable(error);
    }
  }

  #unreadable(error: unknown): string {
    void this.#broken();
    return `sent an answer that cannot be read (${(error as Error).message})`;
  }

  async #answer(frame: Frame): Promise<void> {
    await this.#calls.answer(frame, this.#callers, ({ type, meta, body }) =>
      this.#connection.tell(type, frame.id, meta, body),
    );
  }

  async #announced(input: string): Promise<number> {
    const listening = defer<number>();
    this.#output.forward(this.#process.stdout, (line) => {
      const port = announcement.exec(line)?.[1];
      if (port !== undefined) listening.resolve(Number(port));
      return port !== undefined;
    });
    this.#process.stdin.end(`${input}\n`);
    const timeUp = new AbortController();
    try {
      return await Promise.race([
        listening.promise,
        this.exited.then((how) => Promise.reject(new ChildExited(how))),
        sleep(startLimit, undefined, { signal: timeUp.signal }).then(() =>
          Promise.reject(new ChildExited(`did not start in ${startLimit / 1000} s`)),
        ),
      ]);
    } finally {
      timeUp.abort();
    }
  }

  /** A waiting child does not keep this process alive; it ends when its connection is closed. */
  #letGo(): void {
    this.#process.unref();
    for (const stream of [this.#process.stdout, this.#process.stderr]) (stream as Socket).unref();
  }

  #greet(hello: Unpacker): void {
    const protocol = hello.u32();
    invariant(protocol === protocolVersion, `the Python child uses protocol version ${protocol}`);
    const [executable, version, numpy, problem] = [hello.text(), hello.text(), hello.text(), hello.text()];
    if (numpy === "") throw numpyMissing(executable, problem);
    this.#executable = executable;
    this.#options.onPython?.({ executable, version, numpy });
  }

  #log(level: number, text: string): void {
    // Triton prints verbose messages only with --log-verbose.
    if (levels[level] !== "VERBOSE")
      this.#options.notice(`[${this.#options.instance}] ${levels[level] ?? "INFO"}: ${text}`);
  }

  /** A child without a connection is useless. If it is already ending, it has time to report how it ended. */
  async #broken(): Promise<void> {
    if (!(await this.#endsWithin(connectionGrace))) this.#kill("SIGKILL");
  }

  #finish(how: string): void {
    this.#connection.close(how);
    this.#replies.fail({ error: crashed(this.#options.instance, new ChildExited(how)) });
    this.#calls.close();
    this.#ended.resolve(how);
  }

  #loadFailure(error: ChildExited): PipelineError {
    const output = this.#output.end.trimEnd();
    return foreignError(
      "model/failed",
      `Stub process '${this.#options.instance}' is not healthy. It ${error.message} before it was ready.${output === "" ? "" : `\n${output}`}`,
    );
  }

  #kill(signal: NodeJS.Signals): void {
    const { pid } = this.#process;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") this.#process.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The group is empty: everything has ended.
    }
  }

  async #endsWithin(milliseconds: number): Promise<boolean> {
    const timeUp = new AbortController();
    const late = sleep(milliseconds, false, { signal: timeUp.signal }).catch(() => false);
    const ended = await Promise.race([this.exited.then(() => true), late]);
    timeUp.abort();
    return ended;
  }
}
