import { elementCount, type NamedTensors } from "@tritype/core";
import type { RequestTrace } from "@tritype/runtime";
import { now } from "./moments.ts";
import type { TraceLevel } from "./trace-options.ts";
import type { TraceRecord } from "./trace-record.ts";

/** One traced request of a client, from the side of the server that received it. */
export interface ServerTrace {
  /** The trace for the runtime. */
  readonly request: RequestTrace;
  /** Whether the model has responded, perhaps with an error. A request that its scheduler refuses has no response. */
  readonly answered: boolean;
  /** Records an activity of the server. @param at In microseconds of the runtime's clock. Default: now. */
  moment(name: string, at?: number): void;
  /** The server has finished the request. Later calls have no effect. */
  release(): void;
}

export interface OpenTraceOptions {
  readonly record: TraceRecord;
  readonly levels: readonly TraceLevel[];
  readonly nextId: () => number;
  /**
   * HTTP records the server's activities immediately; gRPC records them at the end, with
   * only the model's first response.
   */
  readonly protocol: "http" | "grpc";
  /** The request has ended. @param kept Whether the request was not refused. */
  readonly over: (kept: boolean) => void;
}

/**
 * The record ends when the server and all models have finished. As in Triton 24.10, a request that its model refuses has no
 * record.
 */
export const openTrace = ({ record, levels, nextId, protocol, over }: OpenTraceOptions): ServerTrace => {
  const timestamps = levels.includes("TIMESTAMPS");
  const tensors = levels.includes("TENSORS");
  const late: (readonly [string, number])[] = [];
  let released = false;
  let open = 1;
  let kept = true;
  let answered = false;

  const activity = (id: number, name: string, at: number): void => {
    if (timestamps && open > 0) record.activity(id, name, at);
  };
  const tensorsOf = (id: number, name: string, all: NamedTensors, empty: boolean): void => {
    if (!tensors || open === 0) return;
    for (const [tensor, data] of all)
      if (empty || elementCount(data.shape) > 0) record.tensor(id, name, tensor, data);
  };
  const leave = (): void => {
    if (--open > 0) return;
    if (kept) record.end();
    over(kept);
  };
  const serverMoment = (name: string, at: number): void => {
    if (protocol === "http") activity(rootId, name, at);
    else late.push([name, at]);
  };

  const traceOf = (id: number, parent: number): RequestTrace => {
    let running = false;
    let turnedAway = false;
    return {
      get context() {
        return timestamps ? record.contextOf(id) : undefined;
      },
      child: () => traceOf(nextId(), id),
      accepted: (request) => {
        if (open === 0) return;
        running = true;
        open++;
        if (timestamps) record.request(id, parent, request);
        const at = now();
        activity(id, "REQUEST_START", at);
        activity(id, "QUEUE_START", at);
        tensorsOf(id, "TENSOR_QUEUE_INPUT", request.inputs, false);
      },
      responded: (response) => {
        if (turnedAway) return;
        if (typeof response !== "string") tensorsOf(id, "TENSOR_BACKEND_OUTPUT", response, true);
        if (id !== rootId || (answered && protocol === "grpc")) return;
        answered = true;
        serverMoment("INFER_RESPONSE_COMPLETE", now());
      },
      computed: ({ start, inputEnd, outputStart, end }, again) => {
        activity(id, "COMPUTE_START", start);
        activity(id, "COMPUTE_INPUT_END", inputEnd);
        activity(id, "COMPUTE_OUTPUT_START", outputStart);
        activity(id, "COMPUTE_END", end);
        if (again) activity(id, "QUEUE_START", now());
      },
      ended: (waited) => {
        if (!running) return;
        running = false;
        turnedAway = !waited;
        if (waited) activity(id, "REQUEST_END", now());
        leave();
      },
      refused: () => {
        if (id === rootId) kept = false;
      },
    };
  };
  const rootId = nextId();
  return {
    request: traceOf(rootId, 0),
    get answered() {
      return answered;
    },
    moment: (name, at = now()) => {
      if (!released) serverMoment(name, at);
    },
    release: () => {
      if (released) return;
      released = true;
      for (const [name, at] of late) activity(rootId, name, at);
      leave();
    },
  };
};
