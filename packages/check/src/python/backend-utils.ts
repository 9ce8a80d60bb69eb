import { remembered } from "@tritype/core";
import type { Argument, Expression, PythonModule } from "./syntax.ts";
import { allExpressions, allStatements, dottedName } from "./walk.ts";

export type Call = Expression & { readonly kind: "call" };

/** The member of `triton_python_backend_utils` that an expression refers to: `Tensor`, `InferenceResponse`, … */
export interface BackendUtils {
  readonly memberOf: (expression: Expression) => string | undefined;
  /** Members that are mentioned without being called, so their results cannot be tracked. */
  readonly passedOn: ReadonlySet<string>;
}

export const backendUtilsOf: (module: PythonModule) => BackendUtils = remembered((module) => {
  const names = new Map<string, string>();
  for (const statement of allStatements(module.body))
    if (statement.kind === "import")
      for (const { name, source } of statement.names)
        if (source === library || source.startsWith(`${library}.`))
          names.set(name, source.slice(library.length + 1));
  const memberOf = (expression: Expression): string | undefined => {
    const [head = "", ...rest] = dottedName(expression)?.split(".") ?? [];
    const start = names.get(head);
    return start === undefined ? undefined : [...(start === "" ? [] : [start]), ...rest].join(".");
  };
  const all = allExpressions(module.body);
  const callees = new Set(
    all.flatMap((expression) => (expression.kind === "call" ? [expression.callee] : [])),
  );
  const objects = new Set(
    all.flatMap((expression) => (expression.kind === "attribute" ? [expression.object] : [])),
  );
  const passedOn = new Set(
    all.flatMap((expression) =>
      callees.has(expression) || objects.has(expression) ? [] : (memberOf(expression) ?? []),
    ),
  );
  return { memberOf, passedOn };
});

export const library = "triton_python_backend_utils";

/**
 * Members that Triton adds after it has imported a model's file. Measured with Triton 24.10; the same since 22.06
 * (https://github.com/triton-inference-server/server/issues/6535).
 */
export const lateMembers: ReadonlySet<string> = new Set([
  ..."InferenceRequest InferenceResponse Logger MetricFamily PreferredMemory Tensor TritonError".split(" "),
  ..."TRITONSERVER_MEMORY_CPU TRITONSERVER_MEMORY_GPU TritonModelException get_model_dir".split(" "),
  ..."is_model_ready load_model unload_model".split(" "),
]);

/** An argument by position or by name; undefined if it is missing or follows a `*`. */
export const argumentOf = (
  args: readonly Argument[],
  index: number,
  name: string,
): Expression | undefined => {
  const named = args.find((argument) => argument.name === name);
  if (named) return named.value;
  const placed = args.slice(0, index + 1);
  const found = placed[index];
  return found?.name === undefined && placed.every(({ star }) => star === "") ? found?.value : undefined;
};
