import { bytes, type Step, type TensorType } from "tritype";
import { defineDiagnostics, makeStep, type StepKind, siteSpan, textFile } from "tritype/plugin";

type Text = TensorType<"BYTES", ["batch", 1]>;

export interface ShoutOptions {
  readonly name: string;
  /** Appended to every text; at least one "!". */
  readonly ending: string;
}

/** Text → the same text in capitals. A step kind that lives outside of tritype. */
export const shout = (options: ShoutOptions): Step<{ readonly text: Text }, { readonly loud: Text }> =>
  makeStep({
    kind: "shout",
    name: options.name,
    inputs: { text: bytes("batch", 1) },
    outputs: { loud: bytes("batch", 1) },
    options: { ending: options.ending },
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
  check(step) {
    const ending = String(step.options["ending"]);
    const span = siteSpan(step.site);
    if (ending.includes("!")) return [];
    return [
      diagnose("shout/too-quiet", {
        with: { step: step.name, ending: JSON.stringify(ending) },
        labels: span === undefined ? [] : [{ span, text: "said here" }],
      }),
    ];
  },
  emit: (step) => ({
    config: {
      backend: "python",
      default_model_filename: "model.py",
      instance_group: [{ kind: "KIND_CPU", count: 1 }],
    },
    files: new Map([["model.py", textFile(modelPy(String(step.options["ending"])))]]),
    requirements: ["numpy"],
  }),
};

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
