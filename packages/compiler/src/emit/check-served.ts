import type { Diagnostic } from "@tritype/core";
import { servedVersions } from "@tritype/triton";
import { definedAt, writtenAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { labels } from "../graph/infer-graph.ts";
import type { EmitOptions, EmittedModel } from "./emitted-model.ts";

/**
 * Checks version policies and the versions of step calls against the versions that the build will contain (Triton's
 * rules 18, 19, 116).
 */
export const checkServed = (
  models: readonly EmittedModel[],
  { plans }: EmitOptions,
): readonly Diagnostic[] => {
  const byName = new Map(models.map((model) => [model.name, model]));
  const calls = [...plans.values()].flatMap(({ definition: ensemble }) =>
    ensemble.graph.nodes.flatMap((node) => {
      const model = node.kind === "step" ? byName.get(node.step) : undefined;
      if (node.kind !== "step" || node.version === undefined || model === undefined) return [];
      const at = [
        ...labels(node, "called here"),
        ...(model.definition === undefined ? [] : definedAt(model.definition)),
      ];
      return checkCall(node.version, ensemble.name, model, at);
    }),
  );
  return [...models.flatMap(checkPolicy), ...calls];
};

const checkPolicy = ({ config, versions, definition }: EmittedModel): readonly Diagnostic[] => {
  const numbers = [...versions.keys()];
  // Tensor math models have no version policy of their own.
  if (definition === undefined || config.version_policy === undefined) return [];
  const parameters = { step: config.name ?? "", versions: list(numbers) };
  const at = { labels: writtenAt(definition, "versionPolicy") };
  if (servedVersions(numbers, config.version_policy).length === 0)
    return [diagnose("version/none-served", { with: parameters, ...at })];
  return (config.version_policy.specific?.versions ?? [])
    .filter((version) => numbers.every((one) => one !== version))
    .map((version) => diagnose("version/not-there", { with: { ...parameters, version }, ...at }));
};

const checkCall = (
  version: number,
  ensemble: string,
  { name: step, config, versions }: EmittedModel,
  at: Diagnostic["labels"],
): readonly Diagnostic[] => {
  const numbers = [...versions.keys()];
  if (!numbers.includes(version))
    return [
      diagnose("version/unknown", {
        with: { ensemble, version, step, versions: list(numbers) },
        labels: at,
      }),
    ];
  const served = servedVersions(numbers, config.version_policy);
  if (served.includes(version) || served.length === 0) return [];
  const wanted = [...new Set([...served, version])].toSorted((a, b) => a - b);
  return [
    diagnose("version/not-served", {
      with: { ensemble, version, step, served: list(served) },
      labels: at,
      help: `set \`versionPolicy: { specific: { versions: [${wanted.join(", ")}] } }\``,
    }),
  ];
};

const list = (versions: readonly number[]): string =>
  versions.length === 1 ? `version ${versions[0]}` : `versions ${versions.join(", ")}`;
