import type { Label } from "@tritype/core";
import { repositoryRule, type Rule } from "../rule.ts";

interface Use {
  readonly model: string;
  readonly label: Label;
}

const bothScopes = repositoryRule(
  {
    code: "instance/global-and-device-resource",
    triton: ["152"],
    judged: "ours",
    reason:
      "With --rate-limit=execution_count, a resource belongs either to the whole server or to each device, and a model that contradicts this does not load.",
    message: "resource `{resource}` is global in `{global}` and per device in `{device}`",
    help: "give `global` the same value everywhere",
  },
  ({ models }, report) => {
    const seen = new Map<string, Partial<Record<"global" | "device", Use>>>();
    for (const { model } of models.values())
      for (const [i, group] of (model.written.instance_group ?? []).entries())
        for (const [j, { name = "", global: whole = false }] of (
          group.rate_limiter?.resources ?? []
        ).entries()) {
          const scope = whole ? "global" : "device";
          const uses = seen.get(name) ?? {};
          const path = ["instance_group", i, "rate_limiter", "resources", j];
          uses[scope] ??= { model: model.name, label: model.at(path, whole ? "global" : "per device") };
          seen.set(name, uses);
        }
    for (const [resource, { global: whole, device }] of seen)
      if (whole && device)
        report([device.label, whole.label], { resource, global: whole.model, device: device.model });
  },
);

export const rateLimiterRules: readonly Rule[] = [bothScopes];
