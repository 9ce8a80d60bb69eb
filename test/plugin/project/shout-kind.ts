import { bytes, type ModelFields, type Step, type TensorType, type Versions } from "tritype";
import {
  authoredVersions,
  checkVersions,
  defineDiagnostics,
  makeStep,
  type StepDefinition,
  type StepKind,
  siteSpan,
  textFile,
  type Tree,
} from "tritype/plugin";

type Text = TensorType<"BYTES", ["batch", 1]>;

export interface ShoutOptions extends Pick<ModelFields, "versionPolicy"> {
  readonly name: string;
  /** Appended to every text; at least one "!". */
  readonly ending?: string;
  /** In place of `ending`: that of each version. */
  readonly versions?: Versions<{ readonly ending: string }>;
}

/** Text → the same text in capitals. A step kind that lives outside of tritype. */
export const shout = (options: ShoutOptions): Step<{ readonly text: Text }, { readonly loud: Text }> =>
  makeStep({
    kind: "shout",
    name: options.name,
    inputs: { text: bytes("batch", 1) },
    outputs: { loud: bytes("batch", 1) },
    options: { ...options, name: undefined },
    calledAs: shout,
  });

const diagnose = defineDiagnostics({
  "shout/too-quiet": {
    severity: "error",
    message: "`{step}` ends in {ending}",
    help: 'end in at least one "!"',
  },
} as const);

export const shoutKind: StepKind = {
  kind: "shout",
  check: (step) =>
    checkVersions(step, "ending", (version) => {
      const ending = endingOf(version);
      const span = siteSpan(step.site);
      if (ending.includes("!")) return [];
      return [
        diagnose("shout/too-quiet", {
          with: { step: step.name, ending: JSON.stringify(ending) },
          labels: span === undefined ? [] : [{ span, text: "said here" }],
        }),
      ];
    }),
  emit(step) {
    const listed = authoredVersions(step);
    return {
      config: {
        backend: "python",
        default_model_filename: "model.py",
        instance_group: [{ kind: "KIND_CPU", count: 1 }],
      },
      files: listed === undefined ? filesOf(step) : new Map(),
      ...(listed === undefined
        ? {}
        : {
            versions: new Map(
              listed.map(({ number, step: version }) => [number, { files: filesOf(version) }]),
            ),
          }),
      requirements: ["numpy"],
    };
  },
};

const endingOf = ({ options }: StepDefinition): string => String(options["ending"]);

const filesOf = (step: StepDefinition): Tree => new Map([["model.py", textFile(modelPy(endingOf(step)))]]);

const modelPy = (ending: string): string => `"""Text in capitals."""

import numpy as np
import triton_python_backend_utils as pb_utils

ENDING = ${JSON.stringify(ending)}


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        text = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
        loud = [(value.decode("utf-8").upper() + ENDING).encode("utf-8") for value in text.reshape(-1)]
        return pb_utils.InferenceResponse([pb_utils.Tensor("loud", np.array(loud, np.object_).reshape(text.shape))])
`;
