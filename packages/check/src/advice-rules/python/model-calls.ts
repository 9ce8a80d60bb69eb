import type { CheckedModel, ModelContext, RepositoryContext } from "../../model-context.ts";
import { backendUtilsOf } from "../../python/backend-utils.ts";
import { classModelPys, modelPys } from "../../python/model-py/model-py.ts";
import { callsIn } from "../../python/values.ts";
import { allExpressions } from "../../python/walk.ts";
import type { EnsembleEdge } from "../ensemble/ensemble-edges.ts";

/** A tensor that a Python model passes to a model that it calls, identified by the name of the called model's input. */
export type ModelCall = Pick<EnsembleEdge, "from" | "to">;

/** Whether a model may call others, by a quick text search before parsing. */
export const mayCallModels = (model: ModelContext): boolean =>
  modelPys(model).some(({ text }) => text.includes("InferenceRequest"));

/** The models that a `model.py` names in string literals, and the inputs that it names in a `Tensor`. */
export const modelCalls = (
  checked: CheckedModel,
  models: RepositoryContext["models"],
): readonly ModelCall[] => {
  if (!mayCallModels(checked.model)) return [];
  const [file, ...versions] = classModelPys(checked.model);
  if (file === undefined || versions.length > 0) return [];
  const utils = backendUtilsOf(file.module);
  const calls = callsIn(file.module.body);
  if (!calls.some(({ callee }) => utils.memberOf(callee) === "InferenceRequest")) return [];
  const made = new Set(
    calls.flatMap(({ callee, args: [name] }) =>
      utils.memberOf(callee) === "Tensor" && name?.value.kind === "text" ? (name.value.value ?? []) : [],
    ),
  );
  const named = new Set(
    allExpressions(file.module.body).flatMap((expression) =>
      expression.kind === "text" ? (expression.value ?? []) : [],
    ),
  );
  return [...models.values()].flatMap((other) =>
    other === checked || !named.has(other.model.name)
      ? []
      : (other.completed?.input ?? []).flatMap(({ name: port = "" }) =>
          made.has(port) ? [{ from: { checked, port }, to: { checked: other, port } }] : [],
        ),
  );
};
