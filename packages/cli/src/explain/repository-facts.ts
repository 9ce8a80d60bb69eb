import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Names } from "@tritype/check";
import { attempt, type Label } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { type ModelConfig, type ModelInput, parseModelConfig } from "@tritype/triton";

/** A repository near the current folder, and the build that created it. */
export interface NearRepository {
  /** Folder of the models. */
  readonly folder: string;
  /** Relative to the current folder. */
  readonly shown: string;
  /** Undefined for a repository that Tritype did not build. */
  readonly manifest: Manifest | undefined;
}

/** Facts from a repository about the models in a message. */
export interface MessageFacts {
  /** The positions where the user's code defines the models. */
  readonly labels: readonly Label[];
  readonly notes: readonly string[];
}

/** Looks up the models in a message. */
export const messageFacts = (names: Names, repository: NearRepository): MessageFacts => {
  const models = modelsOf(names, repository);
  return {
    labels: [
      ...thrownAt(names, repository),
      ...models.flatMap(({ name, kind, source }) =>
        source === undefined ? [] : [{ span: source, text: `${kind} \`${name}\` is defined here` }],
      ),
    ],
    // The tensor belongs to the model; an ensemble around it may have a different one with the same name.
    notes: models.flatMap(({ name, config }) =>
      name === names["ensemble"] && names["model"] !== name
        ? []
        : tensorNotes(name, config, names, repository),
    ),
  };
};

/**
 * A line of a user's function, even if the step runs in the model of another one; messages count lines from the start of the function,
 * except for functions on Node.
 */
const thrownAt = (names: Names, { manifest }: NearRepository): readonly Label[] => {
  const { model, function: name, line, column, file, calledAt } = names;
  const called = /^(?<file>.+):(?<line>\d+):(?<column>\d+)$/.exec(calledAt ?? "")?.groups ?? {};
  const calls = called["file"] === undefined ? [] : [{ span: spanOf(called), text: "called here" }];
  if (file !== undefined && column !== undefined)
    return [{ span: spanOf(names), text: "thrown here" }, ...calls];
  const found = manifest?.models
    .flatMap((one) => (one.functions ?? []).map((each) => ({ step: one.name, ...each })))
    .find((one) => one.step === model && one.name === name && one.source.file === file);
  if (found === undefined) return calls;
  const { source } = found;
  return [{ span: { ...source, line: source.line + Number(line) - 1 }, text: "thrown here" }, ...calls];
};

const spanOf = ({ file = "", line, column }: Names): Label["span"] => ({
  file,
  line: Number(line),
  column: Number(column),
});

interface FoundModel {
  readonly name: string;
  readonly kind: string;
  readonly source: Label["span"] | undefined;
  readonly config: ModelConfig | undefined;
}

const modelsOf = (names: Names, repository: NearRepository): readonly FoundModel[] => {
  const spoken = ["model", "producer", "ensemble", "callee", "flow"].flatMap((hole) => names[hole] ?? []);
  const seen = new Set<string>();
  return spoken.flatMap((word) => {
    const name = [word, word.replace(/(?:_\d+){1,2}$/, "")].find(
      (one) => readConfig(one, repository) !== undefined,
    );
    if (name === undefined || seen.has(name)) return [];
    seen.add(name);
    const built = repository.manifest?.models.find((model) => model.name === name);
    return [
      { name, kind: built?.kind ?? "model", source: built?.source, config: readConfig(name, repository) },
    ];
  });
};

const readConfig = (model: string, { folder }: NearRepository): ModelConfig | undefined => {
  if (!/^[\w.-]+$/.test(model) || model === "..") return undefined;
  return attempt(() => {
    const read = parseModelConfig(readFileSync(join(folder, model, "config.pbtxt"), "utf8"));
    return "config" in read ? read.config : undefined;
  });
};

/** `build/model_repository/embed/config.pbtxt: input `x` is FP32 with dims [4], max_batch_size 8: requests have [-1, 4]` */
const tensorNotes = (
  model: string,
  config: ModelConfig | undefined,
  names: Names,
  { shown }: NearRepository,
): readonly string[] => {
  const tensors = [names["tensor"], names["port"]].filter((name) => name !== undefined);
  return (["input", "output"] as const).flatMap((side) =>
    (config?.[side] ?? []).flatMap(({ name = "", data_type: type, dims = [] }) => {
      if (!tensors.includes(name)) return [];
      const size = config?.max_batch_size ?? 0;
      const full = size > 0 ? [-1, ...dims] : dims;
      const batch = size > 0 ? `max_batch_size ${size}` : "no max_batch_size";
      return [
        `${shown}/${model}/config.pbtxt: ${side} \`${name}\` is ${wireName(type)} with dims [${dims.join(", ")}] and ${batch}: requests have [${full.join(", ")}]`,
      ];
    }),
  );
};

const wireName = (type: ModelInput["data_type"]): string =>
  type === "TYPE_STRING" ? "BYTES" : (type ?? "of no data_type").replace("TYPE_", "");
