import { bytes, type ModelFields, type Step, type TensorType, type Versions } from "tritype";
import {
  defineDiagnostics,
  emitVersions,
  type Found,
  makeStep,
  readVersions,
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
  /** Replaces `ending`: a separate one for each version. */
  readonly versions?: Versions<{ readonly ending: string }>;
}

/** Text → the same text in capitals. A step kind defined outside tritype. */
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
  read(step) {
    const { diagnostics, value: versions } = readVersions(step, "ending", readEnding);
    return {
      diagnostics,
      value: versions && {
        model: () => ({
          config: {
            backend: "python",
            default_model_filename: "model.py",
            instance_group: [{ kind: "KIND_CPU", count: 1 }],
          },
          ...emitVersions(versions, (ending) => ({ files: filesOf(ending) })),
          requirements: ["numpy"],
        }),
      },
    };
  },
};

const readEnding = (version: StepDefinition): Found<string> => {
  const ending = String(version.options["ending"]);
  const span = siteSpan(version.site);
  if (ending.includes("!")) return { diagnostics: [], value: ending };
  return {
    diagnostics: [
      diagnose("shout/too-quiet", {
        with: { step: version.name, ending: JSON.stringify(ending) },
        labels: span === undefined ? [] : [{ span, text: "said here" }],
      }),
    ],
  };
};

const filesOf = (ending: string): Tree => new Map([["model.py", textFile(modelPy(ending))]]);

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
