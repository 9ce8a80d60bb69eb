import { lateMembers } from "../../python/backend-utils.ts";
import { type EarlyUse, usedAtImport } from "../../python/import-time.ts";
import { readModelPys } from "../../python/model-py/model-py.ts";
import { modelRule, type Rule } from "../../rule.ts";

/** A member of pb_utils that does not exist yet while Triton imports the file. */
export const tooEarly: Rule = modelRule(
  {
    code: "python/too-early",
    triton: ["32c"],
    atLoad: true,
    message:
      "`{path}` of `{model}` uses `{member}` of triton_python_backend_utils too early: Triton adds it after the import",
    help: "use `{member}` inside a method, such as `initialize`",
    reason:
      "While Triton imports a `model.py`, triton_python_backend_utils has no `Tensor`, `InferenceRequest`, `InferenceResponse`, `TritonError`, `TritonModelException`, `Logger`, `MetricFamily`, `PreferredMemory`, `TRITONSERVER_MEMORY_CPU`, `TRITONSERVER_MEMORY_GPU`, `get_model_dir`, `is_model_ready`, `load_model` or `unload_model`. Triton adds them before it calls the constructor. Python evaluates module-level code, class bodies, decorators, default values and annotations during the import, so the model does not load. This is only checked for code that every import runs, in the model's main file.",
  },
  (model, report) => {
    for (const file of readModelPys(model)) {
      const seen = new Set<string>();
      for (const { member, from, how } of usedAtImport(file.module)) {
        if (seen.has(member) || !lateMembers.has(member)) continue;
        seen.add(member);
        report(file.at(from, "evaluated during the import"), { path: file.path, member, help: helps[how] });
      }
    }
  },
);

/** The help for each kind of use whose help differs from the rule's. */
const helps: Readonly<Partial<Record<EarlyUse["how"], string>>> = {
  annotation:
    "begin the file with `from __future__ import annotations`, so that Python does not evaluate annotations",
  import:
    "write `import triton_python_backend_utils as pb_utils`, and use the module's members inside methods",
};
