import { setTimeout as sleep } from "node:timers/promises";
import type { DType, NamedTensors } from "@tritype/core";
import type { NodeCallee, NodeTwinOptions } from "@tritype/manifest";
import {
  callFailures,
  type Declared,
  type Frame,
  type FrameCall,
  frameKinds,
  largestWord,
  nextId,
  printRequests,
  printTensors,
  readCallFrame,
  readFailure,
  readTensors,
} from "../frame.ts";
import { limitOf, overdueText, placeText } from "../function-failure.ts";
import { backOff } from "./back-off.ts";
import { type NodeProcess, startNode } from "./node-process.ts";

/** A request to a function. */
export interface NodeRequest {
  readonly inputs: NamedTensors;
  /** A further limit on its time, in microseconds, besides the function's own limit. Default: 0 for no limit. */
  readonly left?: number | undefined;
  /** Aborted when no client is waiting for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** All outputs, or the error of one request. */
export type NodeAnswer =
  | { readonly outputs: NamedTensors }
  | { readonly code: "request/invalid" | "request/cancelled" | "model/failed"; readonly text: string };

/** A function in its Node process, which is replaced whenever it exits. */
export interface NodeChild {
  /** Returns one answer per request, in order. Runs one execution at a time. Never rejects. */
  execute(requests: readonly NodeRequest[]): Promise<readonly NodeAnswer[]>;
  status(): NodeStatus;
  close(): Promise<void>;
}

/** The process of a child. */
export interface NodeStatus {
  /** "broken": the last attempt to restart failed; another one follows. "ending": it was closed. */
  readonly state: "idle" | "busy" | "restarting" | "broken" | "ending";
  /** undefined while no process is running. */
  readonly pid: number | undefined;
  /** How often the process was replaced. */
  readonly restarts: number;
}

export interface NodeChildOptions {
  /** The version folder: the host, the function and its options. */
  readonly folder: string;
  readonly options: NodeTwinOptions;
  /** Called with lines for the user: the function's output, and restarts. */
  readonly notice: (line: string) => void;
  /** Runs a flow's call to another model. Never rejects. Default: no model can be called. */
  readonly call?: (call: NodeCall) => Promise<NodeCallAnswer>;
  /** Called when its process was replaced or could not be, and when it is closed. */
  readonly onChange?: () => void;
}

/** A flow's call to another model. */
export interface NodeCall extends FrameCall {
  readonly callee: NodeCallee;
  /** Aborted when the flow does not wait for the answer any more. */
  readonly signal: AbortSignal;
}

export type NodeCallAnswer = { readonly outputs: NamedTensors } | { readonly text: string };

/** Starts the process. @throws Error with the reason why the function could not be loaded. */
export const openNodeChild = async (given: NodeChildOptions): Promise<NodeChild> => {
  const child = new Child(given);
  await child.start();
  return child;
};

/** An execution with unanswered requests. */
interface Running {
  readonly id: number;
  readonly requests: readonly NodeRequest[];
  /** The requests in the frame, as indexes among all requests. */
  readonly sent: readonly number[];
  readonly answers: (NodeAnswer | undefined)[];
  /** Requests that started before an earlier one was answered. */
  readonly begun: Set<number>;
  readonly done: () => void;
}

/** Milliseconds after the time limit in which the host itself can still answer a late request. */
const grace = 500;
const unloaded: NodeAnswer = { code: "model/failed", text: "the model was unloaded" };
const late: NodeAnswer = { code: "model/failed", text: "the request ran out of time" };
const cancelled: NodeAnswer = { code: "request/cancelled", text: "Request was cancelled" };

class Child implements NodeChild {
  readonly #given: NodeChildOptions;
  readonly #inputs: readonly string[];
  readonly #outputs: readonly Declared[];
  #process: NodeProcess | undefined;
  /** Settles when a process is running, or when none can be started. */
  #ready: Promise<void> = Promise.resolve();
  #running: Running | undefined;
  /** The flow's unanswered calls. */
  readonly #calls: Map<number, AbortController> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #isOverdue = false;
  #isClosed = false;
  #crashes = 0;
  #restarts = -1;
  #isBroken = false;
  #ids = 0;

  constructor(given: NodeChildOptions) {
    this.#given = given;
    this.#inputs = Object.keys(given.options.inputs);
    this.#outputs = declaredOf(given.options.outputs);
  }

  async start(): Promise<void> {
    const { folder, options, notice } = this.#given;
    const started: NodeProcess = await startNode({
      folder,
      options,
      onLine: notice,
      onFrame: (frame) => this.#onFrame(frame),
    });
    if (this.#isClosed) {
      started.kill();
      return;
    }
    this.#process = started;
    this.#restarts++;
    this.#isBroken = false;
    this.#given.onChange?.();
    void started.ended.then((how) => this.#died(how));
  }

  async execute(requests: readonly NodeRequest[]): Promise<readonly NodeAnswer[]> {
    const began = performance.now();
    const answers: (NodeAnswer | undefined)[] = requests.map(() => undefined);
    while (answers.includes(undefined)) {
      await this.#ready;
      const passed = Math.floor((performance.now() - began) * 1000);
      requests.forEach(({ signal, left = 0 }, index) => {
        if (signal?.aborted === true) answers[index] ??= cancelled;
        else if (left > 0 && left <= passed) answers[index] ??= late;
      });
      const sent = [...answers.keys()].filter((index) => answers[index] === undefined);
      if (sent.length === 0) break;
      if (this.#process === undefined) {
        const answer = this.#isClosed ? unloaded : notRunning;
        return answers.map((known) => known ?? answer);
      }
      await this.#send(this.#process, requests, sent, answers, passed);
    }
    return answers as NodeAnswer[];
  }

  status(): NodeStatus {
    const down = this.#isBroken ? "broken" : "restarting";
    const up = this.#running === undefined ? "idle" : "busy";
    return {
      state: this.#isClosed ? "ending" : this.#process === undefined ? down : up,
      pid: this.#process?.pid,
      restarts: this.#restarts,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#given.onChange?.();
    const { ended } = this.#process ?? {};
    // Keeps this process alive until the child has exited.
    this.#process?.busy(true);
    this.#process?.kill();
    await ended;
    await this.#ready;
  }

  /** Resolves when all requests of the frame are answered, or the process has ended. */
  async #send(
    process: NodeProcess,
    requests: readonly NodeRequest[],
    sent: readonly number[],
    answers: (NodeAnswer | undefined)[],
    passed: number,
  ): Promise<void> {
    const id = (this.#ids = nextId(this.#ids));
    const stops: (() => void)[] = [];
    process.busy(true);
    await new Promise<void>((done) => {
      this.#running = { id, requests, sent, answers, begun: new Set(), done };
      const framed = sent.map((index) => {
        const { inputs = new Map(), left = 0 } = requests[index] ?? {};
        return { inputs, left: left > 0 ? Math.min(left - passed, largestWord) : 0 };
      });
      process.send(frameKinds.execute, id, sent.length, printRequests(framed, this.#inputs));
      this.#limit();
      sent.forEach((index, at) => {
        const { signal } = requests[index] ?? {};
        const cancel = (): void => process.send(frameKinds.cancel, id, at);
        signal?.addEventListener("abort", cancel, { once: true });
        stops.push(() => signal?.removeEventListener("abort", cancel));
      });
    });
    clearTimeout(this.#timer);
    this.#running = undefined;
    this.#endCalls();
    for (const stop of stops) stop();
    process.busy(false);
  }

  async #onCall({ id, index, body }: Frame): Promise<void> {
    const process = this.#process;
    const callee = Object.values(this.#given.options.calls ?? {})[index];
    const { call } = this.#given;
    if (process === undefined || callee === undefined) return;
    const controller = new AbortController();
    this.#calls.set(id, controller);
    const { signal } = controller;
    const given = readCallFrame(body, declaredOf(callee.inputs));
    // The number of requests that the frame contained.
    const request = this.#running?.sent[given.request] ?? given.request;
    const answer = await (call?.({ ...given, request, callee, signal }) ?? {
      text: "no model can be called here",
    });
    if (signal.aborted || process !== this.#process) return;
    this.#calls.delete(id);
    const fail = (why: number, text: string): void =>
      process.send(frameKinds.callFailed, id, why, [new TextEncoder().encode(text)]);
    if ("text" in answer) {
      fail(callFailures.failed, answer.text);
      return;
    }
    const wrong = Object.entries(callee.outputs).flatMap(([name, { dtype, servedAs = name }]) => {
      const got = answer.outputs.get(servedAs)?.dtype;
      return got === undefined || got === dtype ? [] : [`output ${name} is ${got}, wanted ${dtype}`];
    });
    if (wrong[0] !== undefined) {
      fail(callFailures.answer, wrong[0]);
      return;
    }
    const names = declaredOf(callee.outputs).map(({ name }) => name);
    const outputs = new Map([...answer.outputs].filter(([name]) => names.includes(name)));
    process.send(frameKinds.result, id, 0, printTensors(outputs, names));
  }

  #endCalls(): void {
    for (const controller of this.#calls.values()) controller.abort();
    this.#calls.clear();
  }

  #onFrame(frame: Frame): void {
    const { kind, id, index, body } = frame;
    if (kind === frameKinds.call) {
      this.#limit();
      void this.#onCall(frame);
      return;
    }
    if (kind === frameKinds.cancel) {
      this.#calls.get(id)?.abort();
      this.#calls.delete(id);
      return;
    }
    const running = this.#running;
    if (running === undefined || id !== running.id) return;
    this.#limit();
    const request = running.sent[index];
    if (request === undefined) return;
    if (kind === frameKinds.begun) running.begun.add(request);
    else if (kind === frameKinds.answer)
      running.answers[request] = { outputs: readTensors(body, this.#outputs) };
    else if (kind === frameKinds.failure)
      running.answers[request] = failureOf(body, running.requests[request]);
    if (running.sent.every((one) => running.answers[one] !== undefined)) {
      this.#crashes = 0;
      running.done();
    }
  }

  /** A function that blocks its thread cannot be asked to stop. */
  #limit(): void {
    clearTimeout(this.#timer);
    const overdue = (): void => {
      this.#isOverdue = true;
      this.#process?.kill();
    };
    // First reads the frames that have arrived, because the delay may have been in this thread.
    const expired = (): void => void setImmediate(() => setImmediate(expiredFor, this.#running, this.#timer));
    const expiredFor = (running: Running | undefined, timer: NodeJS.Timeout | undefined): void => {
      if (running !== undefined && running === this.#running && timer === this.#timer) overdue();
    };
    this.#timer = setTimeout(expired, Math.ceil(limitOf(this.#given.options)) + grace);
  }

  #died(how: string): void {
    this.#process = undefined;
    const { options } = this.#given;
    const text = this.#isOverdue
      ? overdueText(options) + placeText(options)
      : `Node ${how} while it ran this request`;
    if (!this.#isClosed) {
      const why = this.#isOverdue ? "was stopped because a request took too long" : how;
      this.#given.notice(`Node ${why}; restarting it`);
      this.#ready = this.#restart();
    }
    this.#isOverdue = false;
    const running = this.#running;
    if (running === undefined) return;
    const { answers, begun, sent } = running;
    const open = sent.filter((index) => answers[index] === undefined);
    for (const [at, index] of open.entries())
      if (at === 0 || begun.has(index) || this.#isClosed)
        answers[index] = this.#isClosed ? unloaded : { code: "model/failed", text };
    running.done();
  }

  /** Tries once to restart Node for the waiting executions. If that fails, the next execution tries again. */
  async #restart(): Promise<void> {
    await sleep(backOff(this.#crashes++));
    if (this.#isClosed) return;
    try {
      await this.start();
    } catch (error) {
      this.#isBroken = true;
      this.#given.onChange?.();
      this.#given.notice(`Node could not be restarted: ${(error as Error).message}`);
      setTimeout(() => {
        if (!this.#isClosed && this.#process === undefined) this.#ready = this.#restart();
      }, backOff(this.#crashes)).unref();
    }
  }
}

const declaredOf = (tensors: NodeTwinOptions["outputs"]): readonly Declared[] =>
  Object.entries(tensors).map(([name, { dtype, servedAs = name }]) => ({
    name: servedAs,
    dtype: dtype as DType,
  }));

const notRunning: NodeAnswer = { code: "model/failed", text: "Node could not be restarted" };

const failureOf = (body: Frame["body"], request: NodeRequest | undefined): NodeAnswer => {
  const { code, text } = readFailure(body);
  if (request?.signal?.aborted === true) return cancelled;
  return { code: code === 0 ? "request/invalid" : "model/failed", text };
};
