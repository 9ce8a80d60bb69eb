import type { Endpoint } from "@tritype/endpoint";
import type { ModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { servedConfigs } from "./served-models.ts";

test("a member's configuration is that of the version that the step requests", async () => {
  const members = { outer: { fixed: 2, newest: -1, inner: -1 }, inner: { first: 1 } } as const;
  const config = async (model: string, version?: string): Promise<ModelConfig> => {
    const steps = Object.entries(members[model as keyof typeof members] ?? {});
    const step = steps.map(([model_name, model_version]) => ({ model_name, model_version }));
    return {
      name: `${model} ${version ?? "latest"}`,
      ...(step.length === 0 ? {} : { ensemble_scheduling: { step } }),
    };
  };
  const configs = await servedConfigs({ config } as Endpoint, "outer");
  expect([...configs].map(([model, { name }]) => [model, name])).toEqual([
    ["outer", "outer latest"],
    ["fixed", "fixed 2"],
    ["newest", "newest latest"],
    ["inner", "inner latest"],
    ["first", "first 1"],
  ]);
});
