import type { NodeTwinOptions } from "@tritype/manifest";
import type { Tell } from "../answer-request.ts";
import { InvalidRequest, InvalidResult, limitOf, overdueText, placeText } from "../function-failure.ts";
import type { Output } from "../function-values.ts";
import type { FrameRequest } from "../frame.ts";
import {
  declaredResult,
  isPromise,
  ReadRequest,
  type RunInputs,
  type Signature,
  signatureOf,
  writeAnswer,
} from "../request-values.ts";
import type { Callee } from "./calls.ts";
import { RequestContext, within } from "./request-context.ts";
import { type JsonReaders, type JsonTensor, jsonTensors, parseTensors, printTensors } from "./with-json.ts";

/** The author's function; in a flow, it also takes the callees. */
export type HostedRun = (inputs: RunInputs, callees: Readonly<Record<string, Callee>>) => unknown;

/** The function of a model, prepared for many requests. */
export interface Hosted {
  readonly run: HostedRun;
  readonly options: NodeTwinOptions;
  readonly signature: Signature;
  readonly jsonInputs: readonly JsonTensor[];
  readonly jsonOutputs: readonly JsonTensor[];
  readonly tell: Tell;
  readonly calleesFor: (context: RequestContext, request: number) => Readonly<Record<string, Callee>>;
}

export const hostedRun = (
  given: Pick<Hosted, "run" | "options" | "tell" | "calleesFor">,
  readers: JsonReaders | undefined,
): Hosted => {
  const { options } = given;
  const isWhole = (): boolean => options.per === "request";
  return {
    ...given,
    signature: signatureOf(options),
    jsonInputs: jsonTensors(options.inputs, isWhole, readers),
    jsonOutputs: jsonTensors(options.outputs, isWhole),
  };
};

/** The destination of the answers. */
export interface Answers {
  answer(request: number, outputs: readonly Output[]): void;
  /** @param code 0: the client's mistake; 1: the model failed. */
  fail(request: number, code: 0 | 1, text: string): void;
  /** A request starts before an earlier one is answered. */
  begun(request: number): void;
}

/** The requests of one frame. A class, so that no closures are created for each request. */
export class Execution {
  readonly #hosted: Hosted;
  readonly #answers: Answers;
  readonly #began = performance.now();
  /** The requests whose promises have not settled. */
  readonly #open: Map<number, RequestContext> = new Map();

  constructor(hosted: Hosted, answers: Answers) {
    this.#hosted = hosted;
    this.#answers = answers;
  }

  /** Runs the requests in order: the next one begins when the function has returned, or has returned a promise. */
  run(requests: readonly FrameRequest[]): void {
    for (let index = 0; index < requests.length; index++) this.#begin(index, requests[index] as FrameRequest);
  }

  /** No client is waiting for this request any more. */
  cancel(index: number): void {
    this.#end(index, "the request was cancelled");
  }

  #begin(index: number, { tensors, left }: FrameRequest): void {
    const { options, signature, calleesFor } = this.#hosted;
    const now = index === 0 ? this.#began : performance.now();
    if (left > 0 && now - this.#began > left / 1000) {
      this.#send(index, new PlacedFailure(late));
      return;
    }
    if (this.#open.size > 0) this.#answers.begun(index);
    const isShort = left > 0 && left < options.timeLimit;
    const limit = isShort ? left / 1000 : limitOf(options);
    const context = new RequestContext(now + limit);
    try {
      const request = new ReadRequest(signature, tensors);
      const results = within(context, callAll, this.#hosted, request, calleesFor(context, index));
      if (results instanceof Promise) {
        this.#open.set(index, context);
        const timer = isShort
          ? setTimeout(() => this.#end(index, late), limit)
          : setTimeout(() => this.#end(index, overdueText(options), placeText(options)), limit);
        void this.#wait(index, context, request, results).finally(() => clearTimeout(timer));
        return;
      }
      context.answered();
      this.#answers.answer(index, writeAnswer(signature, request, results));
    } catch (error) {
      context.answered();
      this.#send(index, error);
    }
  }

  async #wait(
    index: number,
    context: RequestContext,
    request: ReadRequest,
    results: Promise<readonly RunInputs[]>,
  ): Promise<void> {
    try {
      const all = await results;
      if (context.why !== undefined) return;
      context.answered();
      this.#answers.answer(index, writeAnswer(this.#hosted.signature, request, all));
      this.#open.delete(index);
    } catch (error) {
      this.#fail(index, error);
    }
  }

  /** The calls and fetches that it is waiting for fail first, because their errors contain the author's line. */
  #end(index: number, why: string, place = ""): void {
    this.#open.get(index)?.abort(why);
    setImmediate(() => this.#fail(index, new PlacedFailure(why + place)));
  }

  /** Does nothing if the request has been answered. */
  #fail(index: number, error: unknown): void {
    this.#open.get(index)?.answered();
    if (this.#open.delete(index)) this.#send(index, error);
  }

  #send(index: number, error: unknown): void {
    const { tell, options } = this.#hosted;
    const isPlaced = error instanceof InvalidRequest || error instanceof PlacedFailure;
    const isResult = error instanceof InvalidResult;
    const text = isPlaced ? error.message : isResult ? error.message + placeText(options) : tell(error);
    this.#answers.fail(index, error instanceof InvalidRequest ? 0 : 1, text);
  }
}

const late = "the request ran out of time";

const shownInput = (name: string): string => `input ${name}`;

/** The results of a request's calls; a promise if one of them is a promise. */
const callAll = (
  hosted: Hosted,
  request: ReadRequest,
  callees: Readonly<Record<string, Callee>>,
): readonly RunInputs[] | Promise<readonly RunInputs[]> => {
  const made: (RunInputs | Promise<RunInputs>)[] = [];
  let isAsync = false;
  for (let call = 0; call < request.calls; call++) {
    let result: unknown;
    try {
      result = hosted.run(parseTensors(hosted.jsonInputs, request.inputs(call), shownInput), callees);
      if (!isPromise(result)) result = checked(hosted, request, call, result);
    } catch (error) {
      if (!isAsync) throw failureOf(hosted, request, call, error);
      result = Promise.reject(error);
    }
    if (isPromise(result)) {
      isAsync = true;
      const settling = Promise.resolve(result)
        .then((value) => checked(hosted, request, call, value))
        .catch((error: unknown) => {
          throw failureOf(hosted, request, call, error);
        });
      // Only the first failing row is reported.
      settling.catch(() => undefined);
      made.push(settling);
    } else made.push(result as RunInputs);
  }
  return isAsync ? inOrder(made) : (made as readonly RunInputs[]);
};

const checked = (
  { signature, jsonOutputs }: Hosted,
  request: ReadRequest,
  call: number,
  value: unknown,
): RunInputs =>
  printTensors(
    jsonOutputs,
    declaredResult(signature, value, request, call),
    (name) => `${request.prefix(call)}output ${name}`,
  );

/** An error with its place in the message. */
class PlacedFailure extends Error {}

const failureOf = ({ tell }: Hosted, request: ReadRequest, call: number, error: unknown): Error =>
  error instanceof InvalidResult ? error : new PlacedFailure(`${request.prefix(call)}${tell(error)}`);

/** Like `Promise.all`, but rejects with the error of the lowest row that fails. */
const inOrder = async (made: readonly (RunInputs | Promise<RunInputs>)[]): Promise<readonly RunInputs[]> => {
  const results: RunInputs[] = [];
  for (const one of made) results.push(await one);
  return results;
};
