import { foreignError, type PipelineError } from "@tritype/core";
import { activeInstances, type ModelConfig } from "@tritype/triton";

/** A resource of the server, from `--rate-limit-resource`; without a device, each device has that many. */
export interface ServerResource {
  readonly name: string;
  readonly count: number;
  readonly device?: number;
}

/** Lets instances of all models execute when their resources are free, those with the fewest executions first. */
export interface RateLimiter {
  /** @throws PipelineError `repository/invalid` with Triton's reason: the resources do not suffice, or contradict each other. */
  register(instances: readonly InstanceLimits[]): LimitedInstances;
}

/** The `rate_limiter` of an instance. */
export interface InstanceLimits {
  /** Multiplied by the number of executions so far, this gives the rank among waiting instances; the lowest comes first. */
  readonly priority: number;
  /** By `resourceKey`. */
  readonly resources: ReadonlyMap<string, number>;
}

/** The instances of one version. */
export interface LimitedInstances {
  /** Resolves when an instance may execute; `release` ends the execution. @param instance Its number; default: any. */
  acquire(instance?: number): Promise<{ readonly instance: number; readonly release: () => void }>;
  close(): void;
}

/** The limits of each active instance. */
export const instanceLimits = (config: ModelConfig): readonly InstanceLimits[] =>
  activeInstances(config).map(
    ({ group: { rate_limiter: { priority = 0, resources = [] } = {} }, device }) => ({
      priority: Math.max(1, priority),
      resources: new Map(
        resources.map(({ name = "", global = false, count = 0 }) => [
          resourceKey(global ? undefined : device, name),
          count,
        ]),
      ),
    }),
  );

/** @param device undefined for a global resource. */
const resourceKey = (device: number | undefined, name: string): string => `${device ?? "global"} ${name}`;
const nameOf = (key: string): string => key.slice(key.indexOf(" ") + 1);
const isGlobal = (key: string): boolean => key.startsWith("global ");

interface Instance extends InstanceLimits {
  readonly number: number;
  readonly version: Version;
  executions: number;
}
/** Starts requests that wait for an instance. */
type Start = (instance: Instance) => void;
interface Version {
  available: Instance[];
  readonly any: Start[];
  readonly specific: Map<Instance, Start[]>;
}

/**
 * Source: `RateLimiter` of Triton core. An instance is staged for the oldest request. Only the first staged instance
 * may take resources, and at most one does so each time an instance is staged or released. Therefore, instances that
 * need many resources are not overtaken.
 * @param explicit The resources of the server. If the list is empty, there are as many as the largest instance needs.
 */
export const createRateLimiter = (explicit: readonly ServerResource[]): RateLimiter => {
  const registered = new Set<InstanceLimits>();
  const used = new Map<string, number>();
  let limits: ReadonlyMap<string, number> = new Map();
  const staged: { readonly instance: Instance; readonly start: Start }[] = [];

  const attempt = (): void => {
    const [first] = staged.toSorted((a, b) => place(a.instance) - place(b.instance));
    if (first === undefined) return;
    const { resources } = first.instance;
    for (const [key, count] of resources) if ((used.get(key) ?? 0) + count > (limits.get(key) ?? 0)) return;
    for (const [key, count] of resources) used.set(key, (used.get(key) ?? 0) + count);
    staged.splice(staged.indexOf(first), 1);
    first.start(first.instance);
  };
  const stage = (version: Version, wanted?: Instance): void => {
    for (const instance of version.available.toSorted((a, b) => place(a) - place(b))) {
      if (wanted !== undefined && instance !== wanted) continue;
      const start = version.specific.get(instance)?.shift() ?? version.any.shift();
      if (start === undefined) continue;
      version.available = version.available.filter((one) => one !== instance);
      staged.push({ instance, start });
      attempt();
    }
  };
  const release = (instance: Instance): void => {
    const { version } = instance;
    instance.executions++;
    version.available.push(instance);
    for (const [key, count] of instance.resources) used.set(key, (used.get(key) ?? 0) - count);
    stage(version, instance);
    attempt();
  };

  return {
    register: (wanted) => {
      limits = limitsOf([...registered, ...wanted], explicit);
      const version: Version = { available: [], any: [], specific: new Map() };
      const all = wanted.map(
        (one, number): Instance => ({ ...one, number, version, executions: executionsAtLoad }),
      );
      for (const instance of all) {
        registered.add(instance);
        version.available.push(instance);
        version.specific.set(instance, []);
      }
      return {
        acquire: (number) =>
          new Promise((resolve) => {
            const instance = number === undefined ? undefined : all[number];
            const queue = (instance && version.specific.get(instance)) ?? version.any;
            queue.push((one) => resolve({ instance: one.number, release: () => release(one) }));
            stage(version, instance);
          }),
        close: () => {
          for (const instance of all) registered.delete(instance);
        },
      };
    },
  };
};

/** Triton initializes and warms up an instance in separate executions. */
const executionsAtLoad = 2;

const place = ({ priority, executions }: Instance): number => priority * executions;

/** The server's amount of each resource. @throws PipelineError as `register` does */
const limitsOf = (
  instances: readonly InstanceLimits[],
  explicit: readonly ServerResource[],
): ReadonlyMap<string, number> => {
  const most = new Map<string, number>();
  for (const { resources } of instances)
    for (const [key, count] of resources) most.set(key, Math.max(count, most.get(key) ?? 0));
  const has = new Map(explicit.map(({ name, count, device }) => [`${device ?? "each"} ${name}`, count]));
  const limits = new Map(
    [...most].map(([key, needed]) => {
      if (explicit.length === 0) return [key, needed];
      const fitting = [...has].filter(([one]) =>
        isGlobal(key) ? nameOf(one) === nameOf(key) : one === key || one === `each ${nameOf(key)}`,
      );
      const count = Math.max(0, ...fitting.map(([, there]) => there));
      if (count < needed)
        throw refused(
          `Resource count for "${nameOf(key)}" is limited to ${count} which will prevent scheduling of one or more model instances, the minimum required count is ${needed}`,
        );
      return [key, count];
    }),
  );
  const global = new Set([...limits.keys()].filter(isGlobal).map(nameOf));
  for (const key of limits.keys())
    if (!isGlobal(key) && global.has(nameOf(key)))
      throw refused(
        `Resource "${nameOf(key)}" is present as both global and device-specific resource in the model configuration.`,
      );
  return limits;
};

const refused = (reason: string): PipelineError => foreignError("repository/invalid", reason);
