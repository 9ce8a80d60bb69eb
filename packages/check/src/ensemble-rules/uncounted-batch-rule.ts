import type { ModelConfig } from "@tritype/triton";
import { repositoryRule, type Rule } from "../rule.ts";
import { configOf, mapOf } from "./check-members.ts";
import { stepPath } from "./ensemble-problem.ts";
import { resolveEnsembles } from "./resolve-ensembles.ts";

/** The compiler reports steps of its own ensembles at their calls (`batch/no-required-input`). */
export const uncountedBatchRule: Rule = repositoryRule(
  {
    code: "batch/only-optional-inputs",
    judged: "ours",
    reason:
      "Triton counts the rows of a request's first tensor. A request that has none of the inputs fails: `out of bounds index 0: request has 0 inputs`.",
    message:
      "`{model}` is batched, but all of its inputs are optional: requests to `{called}` that contain none of them fail",
    help: "add an input that every request has, or set `max_batch_size` to 0; nothing needs to change if every request has one of these inputs",
  },
  (repository, report) => {
    const members = new Set<string>();
    for (const { model, steps } of resolveEnsembles(repository).values()) {
      const { input = [] } = model.config;
      const optional = new Set(input.flatMap((one) => (one.optional === true ? [one.name] : [])));
      for (const at of steps) {
        members.add(at.name);
        const given = new Set(Object.values(mapOf(at, "input")));
        // A request that has none of the ensemble's inputs fails anyway.
        if (given.size === input.length || ![...given].every((tensor) => optional.has(tensor))) continue;
        if (hasOnlyOptional(configOf(at.member)))
          report(model.at(stepPath(at.index, "model_name"), "only gets optional tensors"), {
            model: at.name,
            called: model.name,
          });
      }
    }
    for (const { model, assumed = {} } of repository.models.values())
      if (!members.has(model.name) && assumed.ensemble_scheduling === undefined && hasOnlyOptional(assumed))
        report(model.at(["input", 0, "optional"], "optional, as all others"), {
          model: model.name,
          called: model.name,
        });
  },
);

/** ONNX Runtime's backend refuses batched models with optional inputs. */
const hasOnlyOptional = ({ backend, max_batch_size: size = 0, input = [] }: ModelConfig): boolean =>
  backend !== "onnxruntime" &&
  size > 0 &&
  input.length > 0 &&
  input.every(({ optional }) => optional === true);
