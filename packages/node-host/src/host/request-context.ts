import { AsyncLocalStorage } from "node:async_hooks";
import { largestWord } from "../frame.ts";

/** A request while a function is working on it. Parts that most requests never need are created on demand. */
export class RequestContext {
  readonly #end: number;
  #listeners: Set<() => void> | undefined;
  #controller: AbortController | undefined;
  #why: string | undefined;
  #isAborted = false;

  /** @param end The time at which its time limit ends, in milliseconds like `performance.now()`. */
  constructor(end: number) {
    this.#end = end;
  }

  /** Aborted when its time is up or no client is waiting for it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort(new Error(this.#why));
    return this.#controller.signal;
  }

  /** Whether its time is up or no client is waiting for it. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** The reason why it cannot make more calls; undefined while it can. */
  get why(): string | undefined {
    return this.#why;
  }

  /** The remaining microseconds, at least 1 and at most what a frame can say. */
  left(): number {
    return Math.min(Math.max(1, Math.round((this.#end - performance.now()) * 1000)), largestWord);
  }

  abort(why: string): void {
    this.#isAborted = true;
    this.#endCalls(why);
    this.#controller?.abort(new Error(why));
  }

  /** Called once it has been answered: its calls end, but a `fetch` may continue. */
  answered(): void {
    this.#endCalls("the request has already been answered");
  }

  /** Calls `call` once when no more calls can be made; returns a function that removes it. */
  onEnd(call: () => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(call);
    return () => void this.#listeners?.delete(call);
  }

  #endCalls(why: string): void {
    this.#why ??= why;
    for (const call of this.#listeners ?? []) call();
    this.#listeners = undefined;
  }
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs code on behalf of a request. */
export const within = <Args extends unknown[], T>(
  context: RequestContext,
  work: (...args: Args) => T,
  ...args: Args
): T => storage.run(context, work, ...args);

/** The request on behalf of which the code runs; undefined while the function is loaded. */
export const currentRequest = (): RequestContext | undefined => storage.getStore();
