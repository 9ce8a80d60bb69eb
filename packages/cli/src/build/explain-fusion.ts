import type { CompiledProject } from "@tritype/project";

/** One line for each model that contains others, and for each model that could have been part of another one. */
export const explainFusion = ({ compilation }: Pick<CompiledProject, "compilation">): readonly string[] =>
  (compilation.build?.manifest.models ?? []).flatMap(({ name, fused, notFused }) => [
    ...(fused === undefined ? [] : [`${name}  contains ${fused.join(", ")}`]),
    ...(notFused === undefined ? [] : [`${name}  not part of another model: ${notFused}`]),
  ]);
