import type { ModelConfig } from "@tritype/triton";
import * as fc from "fast-check";
import type { CaseFiles } from "./case-files.ts";
import type { Draft, ModelDraft } from "./draft.ts";

/** Adds fields and files that no rule reads and that no fault of these drafts changes. */
export const varied = (drafts: fc.Arbitrary<Draft>): fc.Arbitrary<Draft> =>
  drafts.chain((draft) =>
    fc
      .tuple(...draft.map(({ config }) => (config.platform === "ensemble" ? common : member)))
      .map((variations) => draft.map((model, at) => vary(model, variations[at] ?? plain))),
  );

interface Variation {
  readonly config: ModelConfig;
  readonly files: CaseFiles;
}

const plain: Variation = { config: {}, files: {} };

const vary = (model: ModelDraft, { config, files }: Variation): ModelDraft => ({
  ...model,
  config: { ...config, ...model.config },
  files: { ...model.files, ...files },
});

const word = fc.noBias(fc.stringMatching(/^[a-z]{1,6}$/));
const value = fc.noBias(fc.string({ maxLength: 8 }));

/** Files next to the version folders, which Triton does not read. */
export const strayFiles: fc.Arbitrary<CaseFiles> = fc.noBias(
  fc.dictionary(
    fc.oneof(
      word.map((name) => `${name}.txt`),
      word.map((name) => `stray-${name}/`),
    ),
    fc.constant(""),
    { maxKeys: 3, noNullPrototype: true },
  ),
);

export const parameters: fc.Arbitrary<NonNullable<ModelConfig["parameters"]>> = fc.dictionary(
  word,
  value.map((text) => ({ string_value: text })),
  { minKeys: 1, maxKeys: 3, noNullPrototype: true },
);

/** Prometheus accepts letters, digits and underscores in names. */
export const metricTags: fc.Arbitrary<NonNullable<ModelConfig["metric_tags"]>> = fc.dictionary(word, value, {
  minKeys: 1,
  maxKeys: 2,
  noNullPrototype: true,
});

const fields = { parameters, metric_tags: metricTags };
const optional: fc.RecordConstraints<never> = { requiredKeys: [], noNullPrototype: true };

const common: fc.Arbitrary<Variation> = fc.record({ config: fc.record(fields, optional), files: strayFiles });

const member: fc.Arbitrary<Variation> = fc.record({
  config: fc.record(
    {
      ...fields,
      optimization: fc.record({
        priority: fc.constantFrom("PRIORITY_MAX", "PRIORITY_MIN"),
        graph: fc.record({ level: fc.integer({ min: -1, max: 2 }) }),
      }),
      instance_group: fc.tuple(fc.record({ kind: fc.constantFrom("KIND_CPU", "KIND_MODEL"), name: word })),
    },
    optional,
  ),
  files: strayFiles,
});
