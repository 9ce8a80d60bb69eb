import type { ModelInstanceGroup } from "@tritype/triton";
import { expect, test } from "vitest";
import { planSessions } from "./instance-plan.ts";

const planned = (...groups: readonly ModelInstanceGroup[]): readonly string[] =>
  planSessions({}, groups).map(({ wants, deviceId }) => `${wants} ${deviceId}`);

test.each<[what: string, groups: readonly ModelInstanceGroup[], plan: readonly string[]]>([
  ["no group", [], ["auto 0"]],
  ["KIND_GPU", [{ kind: "KIND_GPU" }], ["gpu 0"]],
  ["KIND_GPU with devices", [{ kind: "KIND_GPU", gpus: [1, 3] }], ["gpu 1", "gpu 3"]],
  [
    "a count for each device",
    [{ kind: "KIND_GPU", count: 2, gpus: [0, 1] }],
    ["gpu 0", "gpu 0", "gpu 1", "gpu 1"],
  ],
  ["KIND_CPU has no device", [{ kind: "KIND_CPU", count: 2, gpus: [1] }], ["cpu 0", "cpu 0"]],
  ["KIND_AUTO with a device", [{ kind: "KIND_AUTO", gpus: [2] }], ["auto 2"]],
  ["passive groups have none", [{ kind: "KIND_GPU", passive: true }, { kind: "KIND_CPU" }], ["cpu 0"]],
])("%s", (_, groups, plan) => {
  expect(planned(...groups)).toEqual(plan);
});

test("an instance of a model with the tensorrt accelerator requests it", () => {
  const accelerators = { gpu_execution_accelerator: [{ name: "tensorrt" }] };
  expect(planSessions({ optimization: { execution_accelerators: accelerators } })).toEqual([
    { wants: "auto", deviceId: 0, tensorrt: true },
  ]);
});
