import type { ModelInstanceGroup } from "@tritype/triton";
import { expect, test } from "vitest";
import {
  createRateLimiter,
  instanceLimits,
  type LimitedInstances,
  type RateLimiter,
  type ServerResource,
} from "./rate-limiter.ts";

const group = (
  resources: NonNullable<NonNullable<ModelInstanceGroup["rate_limiter"]>["resources"]>,
  more: Partial<ModelInstanceGroup> & { readonly priority?: number } = {},
): ModelInstanceGroup => {
  const { priority = 1, ...rest } = more;
  return { ...rest, rate_limiter: { resources, priority } };
};
const register = (limiter: RateLimiter, ...groups: readonly ModelInstanceGroup[]): LimitedInstances =>
  limiter.register(instanceLimits({ instance_group: groups }));
const need = (name: string, count: number, global = false) => ({ name, count, global });

/** Requests that occupy their instance until they are ended; by name, in the order in which they start. */
const holding = () => {
  const started: string[] = [];
  const releases = new Map<string, () => void>();
  const ask = (name: string, of: LimitedInstances, instance?: number): void =>
    void of.acquire(instance).then((got) => {
      started.push(`${name} on ${got.instance}`);
      releases.set(name, got.release);
    });
  const end = async (name: string): Promise<void> => {
    await settled();
    releases.get(name)?.();
    await settled();
  };
  return { started, ask, end };
};
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("when instances of two models share a resource, the one with the lower product of priority and executions runs first", async () => {
  const limiter = createRateLimiter([]);
  const one = register(limiter, group([need("R", 4)], { priority: 2 }));
  const two = register(limiter, group([need("R", 4)], { priority: 5 }));
  const { started, ask, end } = holding();
  for (const name of ["a", "b", "c", "d"]) ask(name, one);
  for (const name of ["x", "y"]) ask(name, two);
  // a: 4, 6, 8, 10; x: 10, 15
  ask("e", one);
  for (const name of ["a", "b", "c", "x", "d", "e", "y"]) await end(name);
  expect(started).toEqual(["a", "b", "c", "x", "d", "e", "y"].map((name) => `${name} on 0`));
});

test("a request that needs more resources than are free is not overtaken", async () => {
  const limiter = createRateLimiter([{ name: "R", count: 3 }]);
  const small = register(limiter, group([need("R", 1)], { count: 3 }));
  const large = register(limiter, group([need("R", 3)]));
  const { started, ask, end } = holding();
  ask("first", small, 0);
  await end("first");
  ask("a", small, 0);
  ask("large", large);
  ask("b", small, 0);
  await settled();
  expect(started).toEqual(["first on 0", "a on 0"]);
  await end("a");
  expect(started).toEqual(["first on 0", "a on 0", "large on 0"]);
  await end("large");
  expect(started.at(-1)).toBe("b on 0");
});

test("instances on another device have their own resources; global resources are shared", async () => {
  const started = async (global: boolean): Promise<number> => {
    const limiter = createRateLimiter([]);
    const model = register(limiter, group([need("R", 1, global)], { kind: "KIND_GPU", gpus: [0, 1] }));
    const all = holding();
    for (const name of ["a", "b"]) all.ask(name, model);
    await settled();
    return all.started.length;
  };
  expect([await started(false), await started(true)]).toEqual([2, 1]);
});

test("without a rate limiter in the configuration, an instance only waits until it is free", async () => {
  const model = register(createRateLimiter([{ name: "R", count: 0 }]), { count: 2 });
  const { started, ask, end } = holding();
  for (const name of ["a", "b", "c"]) ask(name, model);
  await settled();
  expect(started).toEqual(["a on 0", "b on 1"]);
  await end("b");
  expect(started.at(-1)).toBe("c on 1");
});

const limited = (count: number, least: number): string =>
  `Resource count for "R" is limited to ${count} which will prevent scheduling of one or more model instances, the minimum required count is ${least}`;

test.each<readonly [string, readonly ServerResource[], string | undefined]>([
  ["no resources", [], undefined],
  ["enough", [{ name: "R", count: 4 }], undefined],
  ["too few", [{ name: "R", count: 3 }], limited(3, 4)],
  ["another name", [{ name: "r", count: 9 }], limited(0, 4)],
  ["a resource of another device", [{ name: "R", count: 9, device: 1 }], limited(0, 4)],
  [
    "one resource for the device, one for every device",
    [
      { name: "R", count: 9, device: 0 },
      { name: "R", count: 1 },
    ],
    undefined,
  ],
  [
    "the last of two entries counts",
    [
      { name: "R", count: 9 },
      { name: "R", count: 3 },
    ],
    limited(3, 4),
  ],
])("the server's resources: %s", (_, resources, reason) => {
  const limiter = createRateLimiter(resources);
  const load = () => register(limiter, group([need("R", 4)]));
  if (reason === undefined) load();
  else expect(load).toThrow(reason);
});

test("a resource is global either for all models or for none, until the other models are closed", () => {
  const limiter = createRateLimiter([]);
  const local = register(limiter, group([need("R", 1)]));
  const load = () => register(limiter, group([need("R", 1, true)]));
  expect(load).toThrow(
    'Resource "R" is present as both global and device-specific resource in the model configuration.',
  );
  local.close();
  load();
});
