import {
  type Diagnostic,
  guessHelp,
  isOptional,
  type OptionPath,
  type StepDefinition,
  showType,
  type TensorType,
} from "@tritype/core";
import { acceleratorValueProblem, backendDTypes, backendParameters } from "@tritype/triton";
import { definedAt, writtenAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { profilesOf } from "../profiles/in-profile.ts";
import type { StepContext } from "../step-kind.ts";
import { diagnoseBackend } from "./backend-diagnostics.ts";

/** A backend's name in Triton, and the name that people use. */
export interface BackendName {
  readonly backend: string;
  readonly called: string;
}

/** Checks a step's tensors and parameters against those that its backend supports. */
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
    ...checkNames(step, { backend, called }),
    ...checkParameters(step, { backend, called }, release.container),
  ];
};

/** Backends that require tensors with fixed names. Source: `model.h` of `fil_backend`. */
const fixedNames: Readonly<
  Record<string, { readonly inputs: readonly string[]; readonly outputs: readonly string[] }>
> = { fil: { inputs: ["input__0"], outputs: ["output__0", "treeshap_output"] } };

const checkNames = (step: StepDefinition, { backend, called }: BackendName): readonly Diagnostic[] => {
  const names = Object.hasOwn(fixedNames, backend) ? fixedNames[backend] : undefined;
  if (names === undefined) return [];
  return (["inputs", "outputs"] as const).flatMap((side) => {
    const own = names[side].map((name) => `\`${name}\``);
    return Object.keys(step[side])
      .filter((tensor) => !names[side].includes(tensor))
      .map((tensor) =>
        diagnoseBackend("step-tensor/name", {
          with: {
            step: step.name,
            tensor,
            side: side === "inputs" ? "input" : "output",
            backend: called,
            does: side === "inputs" ? "reads" : "writes",
            names: own.join(" and "),
            wanted: own[0] ?? "",
          },
          labels: writtenAt(step, side, tensor),
        }),
      );
  });
};

/** Backends that do not opt in to optional inputs (Triton's rule 51). */
const withoutOptional: ReadonlySet<string> = new Set(["pytorch", "tensorrt"]);

/** A backend silently ignores parameters that it does not read, so they are reported as mistakes. */
const checkParameters = (
  step: StepDefinition,
  { backend, called }: BackendName,
  container: string,
): readonly Diagnostic[] => {
  const known = backendParameters(backend, container);
  if (known === undefined) return [];
  const given: readonly { readonly path: OptionPath; readonly parameters: unknown }[] = [
    { path: ["parameters"], parameters: step.options["parameters"] },
    ...Object.entries(profilesOf(step.options)).flatMap(([profile, fields]) =>
      typeof fields === "object" && fields !== null && fields["useStandIn"] !== true
        ? [{ path: ["profiles", profile, "parameters"], parameters: fields["parameters"] }]
        : [],
    ),
  ];
  return given.flatMap(({ path, parameters }) =>
    Object.entries(typeof parameters === "object" && parameters !== null ? parameters : {}).flatMap(
      ([name, value]) => {
        const wrong = (problem: string, help?: string): Diagnostic =>
          diagnose("model/bad-field", {
            with: { step: step.name, problem },
            labels: writtenAt(step, ...path, name),
            help,
          });
        const kind = Object.hasOwn(known, name) ? known[name] : undefined;
        if (kind === undefined) {
          return [
            wrong(
              `${called} in Triton ${container} has no parameter \`${name}\``,
              guessHelp(name, Object.keys(known), `it has ${Object.keys(known).join(", ")}`),
            ),
          ];
        }
        const wanted = acceleratorValueProblem(String(value), kind);
        return wanted === undefined
          ? []
          : [wrong(`the parameter \`${name}\` is \`${String(value)}\`; it must be ${wanted}`)];
      },
    ),
  );
};
