import {
  type Diagnostic,
  didYouMean,
  isOptional,
  type StepDefinition,
  showType,
  type TensorType,
} from "@tritype/core";
import { acceleratorValueProblem, backendDTypes, backendParameters } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { profilesOf } from "../profiles/in-profile.ts";
import type { StepContext } from "../step-kind.ts";
import { diagnoseBackend } from "./backend-diagnostics.ts";

/** A backend by Triton's name, and as people call it. */
export interface BackendName {
  readonly backend: string;
  readonly called: string;
}

/** Holds a step's tensors and parameters against what its backend has. */
export const checkBackendStep = (
  step: StepDefinition,
  { backend, called }: BackendName,
  { release }: StepContext,
): readonly Diagnostic[] => {
  const at = { labels: definedAt(step) };
  const dtypes = backendDTypes(backend, release.container);
  const ofTensor = ([tensor, type]: readonly [string, TensorType]): readonly Diagnostic[] =>
    dtypes === undefined || dtypes.includes(type.dtype)
      ? []
      : [
          diagnoseBackend("step-tensor/dtype", {
            with: {
              step: step.name,
              tensor,
              type: showType(type),
              dtype: type.dtype,
              backend: called,
              target: release.container,
              dtypes: dtypes.join(", "),
            },
            ...at,
          }),
        ];
  return [
    ...[...Object.entries(step.inputs), ...Object.entries(step.outputs)].flatMap(ofTensor),
    ...(withoutOptional.has(backend)
      ? Object.entries(step.inputs)
          .filter(([, type]) => isOptional(type))
          .map(([input]) =>
            diagnoseBackend("step-tensor/optional", {
              with: { step: step.name, input, backend: called },
              ...at,
            }),
          )
      : []),
    ...checkParameters(step, { backend, called }, release.container),
  ];
};

/** Backends that do not opt in to optional inputs (Triton's rule 51). */
const withoutOptional: ReadonlySet<string> = new Set(["pytorch", "tensorrt"]);

/** Parameters that a backend does not read are passed over in silence, so they are mistakes here. */
const checkParameters = (
  step: StepDefinition,
  { backend, called }: BackendName,
  container: string,
): readonly Diagnostic[] => {
  const known = backendParameters(backend, container);
  if (known === undefined) return [];
  const given = [
    step.options["parameters"],
    ...Object.values(profilesOf(step.options)).flatMap((profile) =>
      typeof profile === "object" && profile !== null && profile["useStandIn"] !== true
        ? [profile["parameters"]]
        : [],
    ),
  ];
  const wrong = (problem: string, help?: string): Diagnostic =>
    diagnose("model/bad-field", {
      with: { step: step.name, problem },
      labels: definedAt(step),
      ...(help === undefined ? {} : { help }),
    });
  return given.flatMap((parameters) =>
    Object.entries(typeof parameters === "object" && parameters !== null ? parameters : {}).flatMap(
      ([name, value]) => {
        const kind = Object.hasOwn(known, name) ? known[name] : undefined;
        if (kind === undefined) {
          const near = didYouMean(name, Object.keys(known));
          return [
            wrong(
              `${called} in Triton ${container} reads no parameter \`${name}\``,
              near === undefined ? `it reads ${Object.keys(known).join(", ")}` : `did you mean \`${near}\`?`,
            ),
          ];
        }
        const wanted = acceleratorValueProblem(String(value), kind);
        return wanted === undefined
          ? []
          : [wrong(`the parameter \`${name}\` is \`${String(value)}\`; it has to be ${wanted}`)];
      },
    ),
  );
};
