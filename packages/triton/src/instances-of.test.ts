import { expect, test } from "vitest";
import type { ModelInstanceGroup } from "./generated/model-config.ts";
import { activeInstances, instancesOf } from "./instances-of.ts";

test.each<[what: string, groups: readonly ModelInstanceGroup[], all: readonly string[], active: number]>([
  ["without groups", [], ["0 on 0"], 1],
  ["a count below 1", [{ count: -1 }, { count: 2 }], ["0 on 0", "0 on 0", "1 on 0"], 3],
  ["a count on each GPU", [{ count: 2, gpus: [1, 3] }], ["0 on 1", "1 on 1", "0 on 3", "1 on 3"], 4],
  ["GPUs of a group on CPUs", [{ kind: "KIND_CPU", gpus: [0, 1] }], ["0 on 0"], 1],
  ["passive groups", [{ passive: true, count: 2 }, {}], ["0 on 0", "1 on 0", "0 on 0"], 1],
  ["only passive groups", [{ passive: true }], ["0 on 0"], 0],
])("instances: %s", (_, instance_group, all, active) => {
  const config = { instance_group };
  expect(instancesOf(config).map(({ number, device }) => `${number} on ${device}`)).toEqual(all);
  expect(activeInstances(config)).toHaveLength(active);
});
