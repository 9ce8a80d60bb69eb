import {
  elementCount,
  isDType,
  type NamedTensors,
  type Scalar,
  type TensorData,
  tensorOf,
} from "@tritype/core";
import type { ModelMetadata } from "@tritype/runtime";
import type { ManifestValues } from "@tritype/manifest";
import { listedRequests, parseRequest, readGivenFile } from "../request-file.ts";
import { cliError } from "../errors.ts";

/** Constraints by input name; inputs that are not listed accept any element of their dtype. */
export type AcceptedInputs = ReadonlyMap<string, ManifestValues>;

const texts: readonly string[] = [
  "a short text",
  "The committee will meet again on Thursday to decide whether the bridge should be repaired or replaced.",
  "",
  "Über den Wolken: 東京の夜は静かです。",
  "שלום עולם, مرحبا بالعالم",
  "👩‍👩‍👧 naïve café — “quotes”, 3.14 & <tags>\n\ttabs",
  "a long text that goes on and on ".repeat(40),
  "one",
];

/** For models that refuse long texts. */
const shortTexts: readonly string[] = ["one", "", "a short text", "Übung"];

/**
 * Requests generated from the types: varied texts and small numbers, and for restricted inputs only elements that they
 * accept. For batched models, batches of 1, 2 and 5 rows. `length` "short" omits texts that a tokenizer without
 * truncation may refuse, and rows that a batched step of an ensemble without batching may refuse.
 *
 * @param maxBatchSize The largest batch size; 0 for a model without batching
 */
export const generatedRequests = (
  model: ModelMetadata,
  maxBatchSize: number,
  accepted: AcceptedInputs,
  length: "varied" | "short" = "varied",
): readonly NamedTensors[] => {
  const batched = maxBatchSize > 0;
  const words = length === "short" ? shortTexts : texts;
  const open = length === "short" ? 1 : 3;
  const sizes = batched ? [1, 2, 5].filter((size) => size <= maxBatchSize) : [open, open];
  const valueOf = (datatype: string, index: number, accepts: ManifestValues | undefined): Scalar =>
    accepts === undefined ? sample(datatype, index, words) : acceptedSample(datatype, index, accepts, words);
  return sizes.map(
    (rows, index) =>
      new Map(
        model.inputs.map(({ name, datatype, shape }): [string, TensorData] => {
          const dims = shape.map((dim, axis) => (dim !== -1 ? dim : axis === 0 ? rows : 3));
          if (!isDType(datatype))
            throw cliError("request/unknown-datatype", { tensor: name, model: model.name, type: datatype });
          const count = elementCount(dims);
          return [
            name,
            tensorOf(
              datatype,
              dims,
              Array.from({ length: count }, (_, i) => valueOf(datatype, i + index * 3, accepted.get(name))),
            ),
          ];
        }),
      ),
  );
};

const sample = (datatype: string, index: number, words: readonly string[]): Scalar => {
  if (datatype === "BYTES") return words[index % words.length] ?? "";
  if (datatype === "BOOL") return index % 3 === 0;
  return datatype.includes("INT") ? (index * 7) % 11 : Math.sin(index + 1);
};

const acceptedSample = (
  datatype: string,
  index: number,
  accepts: ManifestValues,
  words: readonly string[],
): Scalar => {
  const { enum: named = words, minLength = 0, minimum, exclusiveMinimum, maximum = Infinity } = accepts;
  const least = minimum ?? exclusiveMinimum;
  const fitting = named.filter((text) => text.length >= minLength);
  if (datatype === "BYTES") return sample(datatype, index, fitting);
  if (least === undefined || datatype === "BOOL") return sample(datatype, index, words);
  const nth = (index * 7) % 11;
  if (!datatype.includes("INT")) return least + (Math.min(maximum - least, 2) * (nth + 1)) / 12;
  const first = Math.ceil(minimum ?? least + 1);
  return first + (nth % (maximum - first + 1));
};

/** A JSON file with requests, which are checked once their model is known. */
export interface RequestFile {
  readonly path: string;
  readonly content: unknown;
}

/** @throws PipelineError `file/not-found`, `file/not-readable`, `request/invalid` if it is not JSON */
export const readRequestFile = (path: string): RequestFile => ({
  path,
  content: parseRequest(path, readGivenFile(path, "--samples: the file")),
});

/** Requests from a file: a list of `{ "input": values }`. @throws PipelineError `request/invalid` */
export const requestsIn = ({ path, content }: RequestFile, model: ModelMetadata): readonly NamedTensors[] => {
  const help = `write a list of requests: [{ ${model.inputs.map(({ name }) => `"${name}": …`).join(", ")} }]`;
  const requests = listedRequests(path, content, model, help);
  if (requests.length === 0) throw cliError("request/none", { path }, { help });
  return requests.map(({ inputs }) => inputs);
};
