import { setTimeout as sleep } from "node:timers/promises";
import { foreignError, messageOf, type PipelineError } from "@tritype/core";
import { backOff } from "@tritype/node-host";
import type { InstanceProcess, ModelRequest, ModelResult } from "../backend.ts";
import { ChildExited } from "./child-connection.ts";
import { crashed, type PythonChild } from "./python-child.ts";

export interface InstanceOptions {
  readonly name: string;
  /** A process with an initialized model. */
  readonly start: () => Promise<PythonChild>;
  readonly notice: (text: string) => void;
  /** Called whenever `state` changes. */
  readonly onChange: () => void;
}

/** `broken`: the last attempt to restart failed; another one will follow. */
export type InstanceState = "idle" | "busy" | "restarting" | "broken" | "closed";

/** An instance of a model that outlives its process: a crash fails its current requests and starts a new process. */
export class PythonInstance {
  readonly #options: InstanceOptions;
  readonly #closing = new AbortController();
  #child: PythonChild;
  #state: InstanceState = "idle";
  #crashes = 0;
  #restarts = 0;
  #restarting: Promise<void> = Promise.resolve();

  /** @throws PipelineError of the first start; only later starts are retried. */
  static async start(options: InstanceOptions): Promise<PythonInstance> {
    return new PythonInstance(options, await options.start());
  }

  private constructor(options: InstanceOptions, child: PythonChild) {
    this.#options = options;
    this.#child = child;
    this.#watch();
  }

  get state(): InstanceState {
    return this.#state;
  }

  get process(): InstanceProcess {
    const [state, running] = [this.#state, this.#state !== "restarting" && this.#state !== "broken"];
    return {
      instance: this.#options.name,
      runs: "Python",
      state: state === "closed" ? "ending" : state,
      pid: running ? this.#child.pid : undefined,
      restarts: this.#restarts,
    };
  }

  /** Returns one result per request. Call it only while `state` is idle; one execution at a time. Never rejects. */
  async execute(requests: readonly ModelRequest[]): Promise<readonly ModelResult[]> {
    this.#state = "busy";
    try {
      const callers = new Set([this, ...requests.flatMap((request) => request.callers ?? [])]);
      const results = await this.#child.execute(requests, [...callers]);
      this.#crashes = 0;
      if (this.#state === "busy") this.#become("idle");
      return results;
    } catch (reason) {
      const error =
        reason instanceof ChildExited ? crashed(this.#options.name, reason) : asModelFailure(reason);
      if (!(reason instanceof ChildExited) && this.#state === "busy") this.#become("idle");
      return requests.map(() => ({ error }));
    }
  }

  /** Waits for the current execution, then ends the process. */
  async close(): Promise<void> {
    this.#become("closed");
    this.#closing.abort();
    await this.#restarting;
    await this.#child.stop();
  }

  #watch(): void {
    void this.#child.exited.then((how) => {
      if (this.#state === "closed") return;
      this.#options.notice(`[${this.#options.name}] the Python process ${how}; restarting it`);
      this.#restarting = this.#restart();
    });
  }

  async #restart(): Promise<void> {
    this.#become("restarting");
    while (this.#state !== "closed") {
      try {
        await sleep(backOff(this.#crashes++), undefined, { signal: this.#closing.signal });
        this.#child = await this.#options.start();
        if (this.#closing.signal.aborted) return;
        this.#restarts++;
        this.#watch();
        this.#become("idle");
        return;
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#options.notice(`[${this.#options.name}] could not be restarted: ${(error as Error).message}`);
        this.#become("broken");
      }
    }
  }

  #become(state: InstanceState): void {
    this.#state = state;
    this.#options.onChange();
  }
}

const asModelFailure = (cause: unknown): PipelineError =>
  foreignError("model/failed", messageOf(cause), { cause });
