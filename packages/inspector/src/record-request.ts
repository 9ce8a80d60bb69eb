import { type NamedTensors, rawSize, type TensorData } from "@tritype/core";
import type { RequestTrace } from "@tritype/runtime";
import type { Call, CallError, Content, Execution, Recording } from "./api.ts";
import { contentOf, mostElements, sizeOf } from "./contents.ts";
import { bytesText } from "./view/texts.ts";

export interface RecordLimits {
  /** Size of all tensors that are kept. Default 64 MiB. */
  readonly bytes?: number;
  /** Default 512. */
  readonly calls?: number;
  /** Responses of one call. Default 64. */
  readonly responses?: number;
}

/** Follows one request, and keeps what every model received and sent. */
export interface RequestRecorder {
  /** For `Runtime.infer` and `Runtime.stream`. */
  readonly trace: RequestTrace;
  /** Microseconds since the recorder was created. */
  elapsed(): number;
  /** Resolves once every call has ended, or after a while: a model can keep running after its last response. */
  settled(): Promise<void>;
  /** Reading the tensors takes time, so it happens here, after the request. */
  recording(show?: ShowTensor): Recording;
  /** The same with whole tensors. A tensor that was not kept is replaced by a `Content` with the reason. */
  wholeRecording(): Recording<RecordedTensor>;
}

/** Default: without pictures. */
export type ShowTensor = (name: string, tensor: TensorData) => Content;

/** A whole tensor of a recording. */
export interface RecordedTensor {
  readonly name: string;
  readonly tensor: TensorData | Content;
}

type Held = ReadonlyMap<string, Content | TensorData>;

interface HeldCall extends Pick<Call, "first" | "id" | "model" | "parent" | "start" | "version"> {
  end: number;
  readonly executions: Execution[];
  readonly inputs: Held;
  readonly responses: Held[];
  readonly responseTimes: number[];
  left: number;
  failed: boolean;
  cached?: true;
  readonly errors: CallError[];
}

/** Times of responses and of errors of one call. */
const mostTimes = 200;

/** The longest time to wait for calls to end, in milliseconds. */
const patience = 200;

/**
 * @param now Microseconds of the runtime's clock.
 * @param isFirst Whether a model has had no request since it was loaded. Default: unknown.
 */
export const createRecorder = (
  { bytes = 64 * 2 ** 20, calls: mostCalls = 512, responses: mostResponses = 64 }: RecordLimits = {},
  now: () => number = () => performance.now() * 1000,
  isFirst: (model: string, version: string) => boolean = () => false,
): RequestRecorder => {
  const began = now();
  const elapsed = (): number => now() - began;
  const calls: HeldCall[] = [];
  let free = bytes;
  let left = 0;
  let lastId = 0;
  const running = new Set<number>();
  let onSettled = (): void => {};

  /** Copies of at least 1 MiB: what one model returns is what the next one receives, so it is kept and counted once. */
  const large: Uint8Array[] = [];
  /** A copy, because the runtime passes a tensor's memory on to the model. */
  const hold = (tensors: NamedTensors): Held =>
    new Map([...tensors].map(([name, tensor]) => [name, holdOne(name, tensor)]));
  const holdOne = (name: string, tensor: TensorData): Content | TensorData => {
    const size = rawSize(tensor);
    if (tensor.dtype !== "BYTES" && size >= 2 ** 20) {
      const known = large.find((data) => Buffer.compare(data, tensor.data) === 0);
      if (known !== undefined) return { ...tensor, data: known };
    }
    if (size > free) {
      const missing = `the tensors of one recording may have at most ${bytesText(bytes)}`;
      return { name, dtype: tensor.dtype, shape: tensor.shape, bytes: sizeOf(tensor), elements: [], missing };
    }
    free -= size;
    if (tensor.dtype === "BYTES")
      return {
        ...tensor,
        data: tensor.data.map((element, i) => (i < mostElements ? element.slice() : element)),
      };
    const data = tensor.data.slice();
    if (size >= 2 ** 20) large.push(data);
    return { ...tensor, data };
  };

  const traceOf = (parent: number): RequestTrace => {
    const id = ++lastId;
    let call: HeldCall | undefined;
    let hasResponded = false;
    return {
      context: undefined,
      followsAll: true,
      child: () => traceOf(id),
      accepted: ({ model, version, inputs }) => {
        running.add(id);
        if (calls.length >= mostCalls) {
          left++;
          return;
        }
        const start = elapsed();
        call = {
          id,
          parent,
          model,
          version,
          start,
          end: start,
          executions: [],
          inputs: hold(inputs),
          responses: [],
          responseTimes: [],
          left: 0,
          failed: false,
          ...(calls.every((one) => one.model !== model) && isFirst(model, version) ? { first: true } : {}),
          errors: [],
        };
        calls.push(call);
      },
      responded: (response) => {
        if (call === undefined) return;
        hasResponded = true;
        call.end = elapsed();
        if (response === "end") return;
        if (response === "error") {
          call.failed = true;
          const after = call.responses.length + call.left;
          if (call.errors.length < mostTimes) call.errors.push({ after, at: call.end });
          return;
        }
        if (call.responseTimes.length < mostTimes) call.responseTimes.push(call.end);
        if (call.responses.length < mostResponses) call.responses.push(hold(response));
        else call.left++;
      },
      computed: ({ start, inputEnd, outputStart, end, together }) => {
        call?.executions.push({
          start: start - began,
          inputEnd: inputEnd - began,
          outputStart: outputStart - began,
          end: end - began,
          together,
        });
      },
      foundInCache: () => {
        if (call !== undefined) call.cached = true;
      },
      ended: () => {
        // A model that streams may keep running after its last message, for which its caller does not wait.
        if (call !== undefined && !hasResponded) call.end = elapsed();
        running.delete(id);
        if (running.size === 0) onSettled();
      },
      refused: () => {},
    };
  };

  const wholeRecording = (): Recording<RecordedTensor> => {
    const showAll = (held: Held) => [...held].map(([name, tensor]) => ({ name, tensor }));
    return {
      left,
      calls: calls.map(({ errors, ...call }) => ({
        ...call,
        ...(errors.length === 0 ? {} : { errors: [...errors] }),
        executions: [...call.executions],
        responseTimes: [...call.responseTimes],
        inputs: showAll(call.inputs),
        responses: call.responses.map(showAll),
      })),
    };
  };

  return {
    trace: traceOf(0),
    elapsed,
    settled: () =>
      new Promise((resolve) => {
        if (running.size === 0) return resolve();
        const timer = setTimeout(resolve, patience);
        onSettled = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    recording: (show) => showRecording(wholeRecording(), show),
    wholeRecording,
  };
};

/** A recording without whole tensors. */
export const showRecording = (
  { calls, left }: Recording<RecordedTensor>,
  show: ShowTensor = contentOf,
): Recording => {
  const showAll = (tensors: readonly RecordedTensor[]): readonly Content[] =>
    tensors.map(({ name, tensor }) => ("data" in tensor ? show(name, tensor) : tensor));
  return {
    left,
    calls: calls.map((call) => ({
      ...call,
      inputs: showAll(call.inputs),
      responses: call.responses.map(showAll),
    })),
  };
};
