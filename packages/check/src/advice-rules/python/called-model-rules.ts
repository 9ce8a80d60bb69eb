import { didYouMean, dtypeOfConfigName, groupBy, nearHelp } from "@tritype/core";
import { activeInstances } from "@tritype/triton";
import type { ModelContext, RepositoryContext } from "../../model-context.ts";
import { findCircles } from "../../model/circles.ts";
import { ensembleSteps } from "../../model/ensemble-graph.ts";
import { servedVersions } from "../../model/served-versions.ts";
import { certainParts, fits, fullDims, showPlace } from "../../model/tensor-place.ts";
import { repositoryRule, type Rule } from "../../rule.ts";
import { type CalledModel, calledModels } from "./called-models.ts";

const meant = (name: string, names: readonly string[]): string | undefined =>
  nearHelp(didYouMean(name, names));

const calledModel: Rule = repositoryRule(
  {
    code: "python/called-model",
    message: "`{path}` of `{model}` calls `{called}`, which is not in the repository",
    help: "add the model to the repository, or call one that exists; a build contains the models that its ensembles call, and those in `uses` of flows and python() steps",
    reason:
      "Triton does not know which models a Python model calls, so it loads the model, and every request that reaches the call fails: \"Failed for execute the inference request. Model '…' is not ready.\"",
  },
  ({ models, unreadable }, report) => {
    for (const { model } of models.values()) {
      const calls = groupBy(calledModels(model).map((call) => [`${call.path} ${call.called.name}`, call]));
      for (const [first] of calls.values()) {
        const { path, called } = first as CalledModel;
        if (models.has(called.name) || unreadable.has(called.name)) continue;
        report(called.at("no such model"), {
          path,
          model: model.name,
          called: called.name,
          help: meant(
            called.name,
            [...models.keys()].filter((name) => name !== model.name),
          ),
        });
      }
    }
  },
);

const calledVersion: Rule = repositoryRule(
  {
    code: "python/called-version",
    message: "`{path}` of `{model}` calls version {version} of `{called}`, which serves {served}",
    help: "call a version that is served, or leave out `model_version` to call the latest one",
    reason:
      "Triton does not know which models a Python model calls, so it loads the model, and every request that reaches the call fails: \"Failed for execute the inference request. Model '…' is not ready.\" A model serves its latest version only, unless its version policy says otherwise.",
  },
  ({ models }, report) => {
    for (const { model } of models.values())
      for (const { path, called, version } of calledModels(model)) {
        const target = models.get(called.name)?.model;
        if (target === undefined || version === undefined) continue;
        const served = servedVersions(target);
        if (served.length === 0 || served.includes(version.name)) continue;
        const why = target.config.version_policy ? "decides what is served" : "no `version_policy`";
        report([version.at("not served"), target.at(["version_policy"], why)], {
          path,
          model: model.name,
          version: version.name,
          called: called.name,
          served:
            served.length === 1 ? `only version ${served[0]}` : `only the versions ${served.join(", ")}`,
        });
      }
  },
);

const calledTensor: Rule = repositoryRule(
  {
    code: "python/called-tensor",
    message:
      "`{path}` of `{model}` calls `{called}` with the {side} `{tensor}`, which that model does not have",
    help: "use the names in the configuration of `{called}`",
    reason:
      "Triton does not know which models a Python model calls, so it loads the model, and every request that reaches the call fails: \"unexpected inference input '…' for model '…'\", or \"unexpected inference output\".",
  },
  ({ models }, report) => {
    for (const { place, target, config, name, at } of usedTensors(models)) {
      const names = (config[place.side] ?? []).flatMap((declared) => declared.name ?? []);
      if (names.length === 0 || names.includes(name)) continue;
      report([at("does not exist"), target.at([place.side], "existing names")], {
        ...place,
        tensor: name,
        help: meant(name, names),
      });
    }
  },
);

const calledType: Rule = repositoryRule(
  {
    code: "python/called-type",
    message:
      "`{path}` of `{model}` expects {expected} for the {side} `{tensor}` of `{called}`, which has {declared}",
    help: "rebuild the flow against the model that it calls",
    reason:
      "A flow checks its calls against the types in its build. Triton does not know these types: it loads both models, and every request that reaches the call fails.",
  },
  ({ models }, report) => {
    for (const { place, target, config, name, type, at } of usedTensors(models)) {
      const index = (config[place.side] ?? []).findIndex((declared) => declared.name === name);
      const declared = config[place.side]?.[index];
      if (declared === undefined || type === undefined) continue;
      const tensor = { dataType: declared.data_type ?? "", full: fullDims(config, declared.dims ?? []) };
      const certain = certainParts(config, declared, false);
      const isSame =
        (!certain.dataType || dtypeOfConfigName(tensor.dataType) === type.dtype) &&
        (!certain.shape || fits(type.dims, tensor.full));
      if (isSame) continue;
      const expected = `${type.dtype}[${type.dims.join(", ")}]`;
      report([at(expected), target.at([place.side, index], showPlace(tensor))], {
        ...place,
        expected,
        tensor: name,
        declared: showPlace(tensor),
      });
    }
  },
);

/** The tensors of models whose configurations are known that other models' code uses in calls. */
function* usedTensors(models: RepositoryContext["models"]) {
  for (const { model } of models.values())
    for (const { path, called, inputs, outputs } of calledModels(model)) {
      const { model: target, completed: config } = models.get(called.name) ?? {};
      if (target === undefined || config === undefined) continue;
      for (const [side, tensors] of [
        ["input", inputs],
        ["output", outputs],
      ] as const)
        for (const tensor of tensors)
          yield { ...tensor, target, config, place: { path, model: model.name, called: called.name, side } };
    }
}

const circularCalls: Rule = repositoryRule(
  {
    code: "python/circular-calls",
    message: "`{model}` calls itself: {circle}",
    help: "break the cycle; more instances only allow more requests before all of them wait",
    reason:
      "An instance of a Python model is busy until its calls have returned. If all instances are busy with requests that wait for one of them, Triton waits forever. A flow fails when it reaches its time limit.",
  },
  (repository, report) => {
    const needs = new Map(
      [...repository.models.values()].map(
        ({ model }) => [model.name, [...new Set(calleesOf(model))]] as const,
      ),
    );
    const circles = findCircles(needs);
    const seen = new Set<string>();
    for (const [name, circle] of circles) {
      const model = repository.models.get(name)?.model;
      const call = model && calledModels(model).find(({ called }) => called.name === circle[1]);
      if (model === undefined || call === undefined || circle.some((each) => seen.has(each))) continue;
      for (const each of circle) seen.add(each);
      const count = activeInstances(model.config).length;
      report(
        call.called.at(
          count === 1
            ? `waits for the only instance of \`${name}\`, which waits for this call`
            : `leads back; ${count} instances`,
        ),
        { model: name, circle: circle.join(" → ") },
      );
    }
  },
);

const calleesOf = (model: ModelContext): readonly string[] => [
  ...(ensembleSteps(model.config) ?? []).flatMap(({ model_name }) => model_name ?? []),
  ...calledModels(model).map(({ called }) => called.name),
];

/** Calls from Python models and flows to other models. */
export const calledModelRules: readonly Rule[] = [
  calledModel,
  calledVersion,
  calledTensor,
  calledType,
  circularCalls,
];
