import { detokenizerOptionNames } from "@tritype/manifest";
import { emitVersions, readVersions } from "../authored-versions.ts";
import type { StepKind } from "../step-kind.ts";
import { tokenizersRequirement } from "../tokenizer/tokenizer-kind.ts";
import { textFile } from "../tree.ts";
import { detokenizerPython } from "./detokenizer-python.ts";
import { readDetokenizer } from "./read-detokenizer.ts";

/** Token ids → text: a python model on Hugging Face `tokenizers`, and its native twin. */
export const detokenizerKind: StepKind = {
  kind: "detokenizer",
  refusals: "held",
  options: [...detokenizerOptionNames, "versions"],
  read(step, { host }) {
    const { diagnostics, value: versions } = readVersions(step, "from", (version) =>
      readDetokenizer(version, host),
    );
    if (versions === undefined) return { diagnostics };
    const latest = [...versions.all.values()].at(-1);
    return {
      diagnostics,
      value: {
        model: (options) => ({
          config: { backend: "python", instance_group: [{ kind: "KIND_CPU", count: 1 }] },
          ...emitVersions(versions, ({ file, twin }) => ({
            files: new Map([
              ["model.py", textFile(detokenizerPython(twin, options))],
              ["tokenizer.json", { kind: "copy", from: file.path, bytes: file.bytes }],
            ]),
            twin: { kind: "detokenizer", options: { ...twin } },
          })),
          requirements: ["numpy", tokenizersRequirement],
        }),
        accepts: latest === undefined ? {} : { ids: { minimum: 0, maximum: latest.file.largest.id } },
      },
    };
  },
};
