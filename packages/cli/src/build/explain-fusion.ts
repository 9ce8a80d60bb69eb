import type { CompiledProject } from "@tritype/project";

/** One line for each model that contains tensor math, and for each model of tensor math that could be part of another. */
export const explainFusion = ({ compilation }: Pick<CompiledProject, "compilation">): readonly string[] =>
  (compilation.build?.manifest.models ?? []).flatMap(({ name, fused, notFused }) => [
    ...(fused === undefined ? [] : [`${name}  contains ${fused.join(", ")}`]),
    ...(notFused === undefined ? [] : [`${name}  not part of another model: ${notFused}`]),
  ]);
