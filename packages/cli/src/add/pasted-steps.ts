import type { OnnxPort, OnnxSignature } from "@tritype/onnx";
import { isBatched } from "../signature-module.ts";
import type { LongestText } from "./longest-text.ts";

export interface PastedSteps {
  /** Name of the ensemble; the names of the steps derive from it. */
  readonly name: string;
  /** The export of the signature module. */
  readonly identifier: string;
  /** `./models/e5.ts` */
  readonly module: string;
  readonly signature: OnnxSignature;
  /** Folder with `tokenizer.json`, and the maximum length of a text; undefined if there is no such file. */
  readonly tokenizer: { readonly from: string; readonly longest: LongestText | undefined } | undefined;
}

/**
 * TypeScript that serves a model: its step, a tokenizer if the model takes ids and the project has a tokenizer file, and an ensemble of
 * both steps. The code compiles on its own as a `pipeline.ts`.
 */
export const pastedSteps = (options: PastedSteps): string => {
  const { signature, tokenizer } = options;
  const ids = signature.inputs.find(({ name }) => name === "input_ids");
  return tokenizer !== undefined && ids !== undefined && takesTokens(ids, signature)
    ? withTokenizer(options, tokenizer, ids)
    : modelAlone(options);
};

/** No tokenizer is used if another input, such as positions, is as long as the text, because clients do not know that length. */
const takesTokens = ({ dtype, dims }: OnnxPort, signature: OnnxSignature): boolean =>
  (dtype === "INT64" || dtype === "INT32") &&
  dims?.length === 2 &&
  isBatched(signature) &&
  !signature.inputs.some(
    (other) =>
      !madeByTokenizer.has(other.name) && other.dims?.slice(1).some((dim) => dim !== -1 && dim === dims[1]),
  );

const madeByTokenizer: ReadonlySet<string> = new Set(["input_ids", "attention_mask", "token_type_ids"]);

/** The maximum length of a text if the source does not specify one. */
const assumedLength = 512;

const withTokenizer = (
  { name, identifier, module, signature }: PastedSteps,
  { from, longest }: NonNullable<PastedSteps["tokenizer"]>,
  ids: OnnxPort,
): string => {
  const has = (input: string): boolean => signature.inputs.some((port) => port.name === input);
  const tokens = [...madeByTokenizer].filter(has);
  const rest = signature.inputs.map((port) => port.name).filter((input) => !tokens.includes(input));
  const fixed = typeof ids.dims?.[1] === "number" && ids.dims[1] > 0 ? ids.dims[1] : undefined;
  const [length, why] =
    fixed !== undefined
      ? [fixed, "the model's own"]
      : [longest?.tokens ?? assumedLength, longest?.saidBy ?? "the repository does not contain it"];
  const integer = ids.dtype === "INT32";
  const imported = ["bytes", "defineEnsemble", ...(integer ? ["int32"] : []), "onnx", "tokenizer"];
  const called = tokens.join(", ");
  return lines([
    `import { ${imported.join(", ")} } from "tritype";`,
    `import { ${identifier} as modelFile } from ${JSON.stringify(module)};`,
    "",
    "const tokenize = tokenizer({",
    `  name: ${JSON.stringify(`${name}-tokenizer`)},`,
    `  from: ${JSON.stringify(from)},`,
    `  maxLength: ${length}, // ${why}`,
    ...(fixed === undefined ? [] : ['  padding: "maxLength",']),
    ...(integer ? ["  ids: int32,"] : []),
    ...(has("token_type_ids") ? ["  tokenTypeIds: true,"] : []),
    "});",
    "",
    ...modelStep(name),
    "",
    `export const ${ensembleOf(identifier)} = defineEnsemble({`,
    `  name: ${JSON.stringify(name)},`,
    "  maxBatchSize: 32,",
    ...(rest.length === 0
      ? ['  inputs: { text: bytes("batch", 1) },']
      : [
          "  inputs: {",
          '    text: bytes("batch", 1),',
          ...rest.map((input) => `    ${JSON.stringify(input)}: modelFile.inputs[${JSON.stringify(input)}],`),
          "  },",
        ]),
    `  run({ text${rest.length === 0 ? "" : ", ...rest"} }) {`,
    `    const { ${called} } = tokenize({ text });`,
    `    return model({ ${called}${rest.length === 0 ? "" : ", ...rest"} });`,
    "  },",
    "});",
  ]);
};

const modelAlone = ({ name, identifier, module, signature }: PastedSteps): string =>
  lines([
    'import { defineEnsemble, onnx } from "tritype";',
    `import { ${identifier} as modelFile } from ${JSON.stringify(module)};`,
    "",
    ...modelStep(name),
    "",
    `export const ${ensembleOf(identifier)} = defineEnsemble({`,
    `  name: ${JSON.stringify(name)},`,
    ...(isBatched(signature) ? ["  maxBatchSize: 32,"] : []),
    "  inputs: modelFile.inputs,",
    "  run: (inputs) => model(inputs),",
    "});",
  ]);

/** The variable for the ensemble: that of the signature, unless the printed code has another one with this name. */
const ensembleOf = (identifier: string): string =>
  variables.has(identifier) ? `${identifier}Ensemble` : identifier;

const variables: ReadonlySet<string> = new Set([
  "defineEnsemble",
  "model",
  "modelFile",
  "onnx",
  "tokenize",
  "tokenizer",
]);

const modelStep = (name: string): readonly string[] => [
  "const model = onnx({",
  `  name: ${JSON.stringify(`${name}-model`)},`,
  "  ...modelFile,",
  "});",
];

const lines = (text: readonly string[]): string => text.join("\n");
