import type { FailureCount, Latency, Load, ModelActivity, RequestTime } from "@tritype/load-test";
import { z } from "zod";
import type { PipelineError } from "@tritype/core";
import { cliError } from "../errors.ts";

/** The format version that this command writes; newer ones are refused. */
export const benchFormatVersion = 1 as const;

/** One load case: a load over one protocol. */
export interface BenchCase {
  readonly protocol: "http" | "grpc";
  readonly load: Load;
  /** Measured seconds; fewer than requested if the run was stopped. */
  readonly seconds: number;
  /** Successful responses per second, and the rows in them. */
  readonly requestsPerSecond: number;
  readonly rowsPerSecond: number;
  /** Milliseconds; absent without successful responses. */
  readonly latency?: Latency | undefined;
  /** Only for a model that streams; `latency` is then that of whole streams. */
  readonly stream?: BenchStream | undefined;
  /** Milliseconds between the time at which a request was due and the time at which it was sent. */
  readonly sentLate?: { readonly p50: number; readonly p99: number } | undefined;
  readonly mostInFlight: number;
  readonly failures: readonly FailureCount[];
  /** Requests that had no response when the load ended. */
  readonly unfinished: number;
  /** Per second. */
  readonly timeline: readonly { readonly answered: number; readonly failed: number }[];
  /** From the server's statistics; absent if it has none. */
  readonly models?: readonly ModelActivity[] | undefined;
  /** Where a request's time goes, step by step; absent without statistics or answers. */
  readonly time?: RequestTime | undefined;
}

/** Responses of streams; times in milliseconds. */
export interface BenchStream {
  readonly responsesPerSecond: number;
  /** From the time at which a request was due to its first response. */
  readonly first?: Latency | undefined;
  /** Between the responses of a stream. */
  readonly gap?: Latency | undefined;
}

/** Everything that one run measured, and on which machine, as printed by `--json`. */
export interface BenchResult {
  readonly formatVersion: 1;
  /** Version of Tritype. */
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly began: string;
  /** The reason why the run ended before its plan was complete. */
  readonly stopped?: string | undefined;
  readonly machine: {
    readonly platform: string;
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly node: string;
    /** Load average over the preceding minute. */
    readonly load: number;
  };
  readonly server: {
    readonly kind: "dev" | "triton" | "url";
    readonly name: string;
    readonly version: string;
    readonly http?: string | undefined;
    readonly grpc?: string | undefined;
  };
  /** The model to which the requests are sent. */
  readonly model: string;
  /** Model → hash of its files if we have them, otherwise of the configuration that the server reports. */
  readonly models: Readonly<Record<string, string>>;
  readonly requests: {
    readonly source: string;
    readonly count: number;
    readonly rows: number;
    /** Hash of the tensors of all requests. */
    readonly hash: string;
  };
  readonly options: {
    readonly seconds: number;
    readonly warmSeconds: number;
    readonly seed: number;
    readonly device?: string | undefined;
    /** Hash of `configs/<profile>.pbtxt`. */
    readonly profile?: string | undefined;
  };
  readonly cases: readonly BenchCase[];
}

const load = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("closed"), clients: z.number() }),
  z.object({ kind: z.literal("open"), rate: z.number(), seed: z.number(), connections: z.number() }),
]);
const latency = z.object({
  count: z.number(),
  mean: z.number(),
  min: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number().optional(),
  p999: z.number().optional(),
  max: z.number(),
  histogram: z.array(z.object({ upTo: z.number(), count: z.number() })),
});
const model = z.object({
  model: z.string(),
  version: z.string(),
  requests: z.number(),
  failures: z.number(),
  inferences: z.number(),
  executions: z.number(),
  averageBatch: z.number().optional(),
  totalUs: z.number().optional(),
  queueUs: z.number(),
  computeInputUs: z.number(),
  computeInferUs: z.number(),
  computeOutputUs: z.number(),
  batches: z.array(z.object({ rows: z.number(), executions: z.number() })),
});
const stepTime = model.pick({
  model: true,
  queueUs: true,
  computeInputUs: true,
  computeInferUs: true,
  computeOutputUs: true,
});
const requestTime = z.object({
  requestUs: z.number(),
  steps: z.array(stepTime),
  betweenUs: z.number(),
  outsideUs: z.number(),
  others: z.array(stepTime),
});
const benchCase = z.object({
  protocol: z.enum(["http", "grpc"]),
  load,
  seconds: z.number(),
  requestsPerSecond: z.number(),
  rowsPerSecond: z.number(),
  latency: latency.optional(),
  stream: z
    .object({ responsesPerSecond: z.number(), first: latency.optional(), gap: latency.optional() })
    .optional(),
  sentLate: z.object({ p50: z.number(), p99: z.number() }).optional(),
  mostInFlight: z.number(),
  failures: z.array(z.object({ status: z.string(), count: z.number(), message: z.string() })),
  unfinished: z.number(),
  timeline: z.array(z.object({ answered: z.number(), failed: z.number() })),
  models: z.array(model).optional(),
  time: requestTime.optional(),
}) satisfies z.ZodType<BenchCase>;

const benchResult = z.object({
  formatVersion: z.literal(benchFormatVersion),
  version: z.string(),
  began: z.string(),
  stopped: z.string().optional(),
  machine: z.object({
    platform: z.string(),
    cpu: z.string(),
    cores: z.number(),
    memoryGb: z.number(),
    node: z.string(),
    load: z.number(),
  }),
  server: z.object({
    kind: z.enum(["dev", "triton", "url"]),
    name: z.string(),
    version: z.string(),
    http: z.string().optional(),
    grpc: z.string().optional(),
  }),
  model: z.string(),
  models: z.record(z.string(), z.string()),
  requests: z.object({ source: z.string(), count: z.number(), rows: z.number(), hash: z.string() }),
  options: z.object({
    seconds: z.number(),
    warmSeconds: z.number(),
    seed: z.number(),
    device: z.string().optional(),
    profile: z.string().optional(),
  }),
  cases: z.array(benchCase),
}) satisfies z.ZodType<BenchResult>;

/** @throws PipelineError `file/not-readable` if the text is not a result of `pipeline bench`, or is the result of a newer Tritype */
export const parseBenchResult = (text: string, path: string): BenchResult => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notAResult(path, "it is not JSON", cause);
  }
  const { formatVersion } = (value ?? {}) as { readonly formatVersion?: unknown };
  if (typeof formatVersion === "number" && formatVersion > benchFormatVersion)
    throw cliError("bench/newer-result", { path });
  const result = benchResult.safeParse(value);
  if (!result.success) throw notAResult(path, z.prettifyError(result.error), result.error);
  return result.data;
};

const notAResult = (path: string, why: string, cause: unknown): PipelineError =>
  cliError("bench/not-a-result", { path, why }, { cause });
