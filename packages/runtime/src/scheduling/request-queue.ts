import { foreignError, type PipelineError, requestPrefix } from "@tritype/core";
import type { ModelDynamicBatching, ModelQueuePolicy, QueuedRequest } from "@tritype/triton";
import type { ModelRequest, ModelResult } from "../backend.ts";

/** A request that waits for its execution. */
export interface Waiting extends QueuedRequest {
  readonly request: ModelRequest;
  readonly resolve: (result: ModelResult) => void;
  /** Called when the request starts to run and can no longer be cancelled. */
  readonly started: () => void;
}

/** Requests by priority and age, under Triton's queue policies. */
export interface RequestQueue {
  /** @throws PipelineError `model/unavailable` with Triton's text if the queue of its priority is full. */
  push(waiting: Omit<Waiting, "timeoutAt">): void;
  /**
   * Processes requests that have timed out: removes them if the policy rejects them. Others go to the end of their
   * level, in the order of the queue, since Triton checks them when an instance is free.
   */
  expire(now: number, instanceIsFree: boolean): readonly Waiting[];
  /** The entries in the order of execution. */
  entries(): Iterable<Waiting>;
  remove(taken: ReadonlySet<Waiting>): void;
  /** Removes an entry by its request. */
  withdraw(request: ModelRequest): void;
  size(): number;
  /** The next time when `expire` may reject something; infinite without such timeouts. */
  closestTimeout(): number;
}

interface Level {
  readonly priority: number;
  readonly policy: ModelQueuePolicy;
  waiting: Waiting[];
  /** Timed out under `timeout_action: DELAY`: they run when no other request of their level is waiting. */
  delayed: Waiting[];
}

/**
 * Queues of `dynamic_batching`: level 1 runs first; a request without a priority, or with one beyond the levels, gets
 * the default. A request's own `timeout` counts only if the policy allows it and it is shorter than the policy's.
 * `max_queue_size` also counts delayed requests. Source: `PriorityQueue` and `PolicyQueue` of Triton core
 * (`scheduler_utils.cc`).
 */
export const createRequestQueue = (config: ModelDynamicBatching): RequestQueue => {
  const {
    default_queue_policy: byDefault = {},
    priority_queue_policy: policies = {},
    default_priority_level: defaultLevel = 0,
  } = config;
  const count = config.priority_levels ?? 0;
  /** The levels that have had requests so far, the most urgent first. A configuration may have 2^64 levels. */
  const levels: Level[] = [];
  let timed = 0;

  const levelOf = ({ parameters }: ModelRequest): Level => {
    const wanted = Number(parameters["priority"] ?? 0);
    const priority = Math.max(1, wanted >= 1 && wanted <= count ? wanted : defaultLevel);
    const known = levels.find((level) => level.priority === priority);
    if (known !== undefined) return known;
    const policy = (count > 0 ? policies[priority] : undefined) ?? byDefault;
    const level: Level = { priority, policy, waiting: [], delayed: [] };
    const next = levels.findIndex((other) => other.priority > priority);
    levels.splice(next === -1 ? levels.length : next, 0, level);
    return level;
  };

  const remove = (takes: (waiting: Waiting) => boolean): void => {
    for (const level of levels) {
      for (const one of level.waiting) if (takes(one) && Number.isFinite(one.timeoutAt)) timed--;
      level.waiting = level.waiting.filter((one) => !takes(one));
      if (level.delayed.length > 0) level.delayed = level.delayed.filter((one) => !takes(one));
    }
  };

  return {
    push: ({ request, batchSize, enqueuedAt, resolve, started }) => {
      const level = levelOf(request);
      const { max_queue_size: limit = 0 } = level.policy;
      if (limit > 0 && sizeOf(level) >= limit) throw queueFull(request.id);
      const timeout = timeoutOf(level.policy, request);
      if (timeout > 0) timed++;
      const timeoutAt = timeout > 0 ? enqueuedAt + timeout : Number.POSITIVE_INFINITY;
      level.waiting.push({ request, batchSize, enqueuedAt, resolve, started, timeoutAt });
    },
    expire: (now, instanceIsFree) => {
      if (timed === 0) return [];
      const rejected: Waiting[] = [];
      for (const level of levels) {
        if (!instanceIsFree && isDelayed(level)) continue;
        const late = level.waiting.filter(({ timeoutAt }) => now > timeoutAt);
        if (late.length === 0) continue;
        timed -= late.length;
        level.waiting = level.waiting.filter(({ timeoutAt }) => now <= timeoutAt);
        if (isDelayed(level))
          for (const one of late) level.delayed.push({ ...one, timeoutAt: Number.POSITIVE_INFINITY });
        else for (const one of late) rejected.push(one);
      }
      return rejected;
    },
    entries: function* () {
      for (const { waiting, delayed } of levels) {
        yield* waiting;
        yield* delayed;
      }
    },
    remove: (taken) => remove((one) => taken.has(one)),
    withdraw: (request) => remove((one) => one.request === request),
    closestTimeout: () => {
      let closest = Number.POSITIVE_INFINITY;
      if (timed > 0)
        for (const { waiting } of levels.filter((level) => !isDelayed(level)))
          for (const { timeoutAt } of waiting) closest = Math.min(closest, timeoutAt);
      return closest;
    },
    size: () => levels.reduce((sum, level) => sum + sizeOf(level), 0),
  };
};

const sizeOf = ({ waiting, delayed }: Level): number => waiting.length + delayed.length;

const isDelayed = ({ policy }: Level): boolean => policy.timeout_action === "DELAY";

/** Microseconds; 0 for none. */
const timeoutOf = (
  {
    default_timeout_microseconds: byDefault = 0,
    allow_timeout_override: overrides = false,
  }: ModelQueuePolicy,
  { parameters }: ModelRequest,
): number => {
  const own = Number(parameters["timeout"] ?? 0);
  return overrides && own > 0 && own < byDefault ? own : byDefault;
};

export const timedOut = (): PipelineError => foreignError("model/unavailable", "Request timeout expired");

const queueFull = (id: string): PipelineError =>
  foreignError("model/unavailable", `${requestPrefix(id)}Exceeds maximum queue size`);
