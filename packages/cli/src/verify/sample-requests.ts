import { readFileSync } from "node:fs";
import {
  elementCount,
  isDType,
  type NamedTensors,
  PipelineError,
  type Scalar,
  type TensorData,
  tensorOf,
} from "@tritype/core";
import type { ModelMetadata } from "@tritype/runtime";
import { type Nested, requestInputs } from "../request-inputs.ts";

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

/** Requests made from the types: varied texts, small numbers; batches of 1, 2 and 5 rows where the model is batched. */
export const generatedRequests = (
  model: ModelMetadata,
  batched: boolean,
  maxBatchSize: number,
): readonly NamedTensors[] => {
  const sizes = batched ? [1, 2, 5].filter((size) => size <= maxBatchSize) : [1, 1];
  return sizes.map(
    (rows, index) =>
      new Map(
        model.inputs.map(({ name, datatype, shape }): [string, TensorData] => {
          const dims = shape.map((dim, axis) => (batched && axis === 0 ? rows : dim === -1 ? 3 : dim));
          if (!isDType(datatype))
            throw new PipelineError("request/invalid", `input \`${name}\` has the datatype ${datatype}`);
          const count = elementCount(dims);
          return [
            name,
            tensorOf(
              datatype,
              dims,
              Array.from({ length: count }, (_, i) => sample(datatype, i + index * 3)),
            ),
          ];
        }),
      ),
  );
};

const sample = (datatype: string, index: number): Scalar => {
  if (datatype === "BYTES") return texts[index % texts.length] ?? "";
  if (datatype === "BOOL") return index % 3 === 0;
  return datatype.includes("INT") ? (index * 7) % 11 : Math.sin(index + 1);
};

/** Requests from a file: a JSON list of `{ "input": values }`. @throws PipelineError `file/not-found`, `request/invalid` */
export const requestsOfFile = (path: string, model: ModelMetadata): readonly NamedTensors[] => {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    throw new PipelineError("file/not-found", `there is no file ${path}`, {
      cause: error,
      help: "check --samples",
    });
  }
  let requests: unknown;
  try {
    requests = JSON.parse(content);
  } catch (error) {
    throw new PipelineError("request/invalid", `${path} is not JSON: ${(error as Error).message}`, {
      cause: error,
      help: 'write a list of { "input": values }',
    });
  }
  if (!Array.isArray(requests) || requests.length === 0)
    throw new PipelineError("request/invalid", `${path} holds no list of requests`, {
      help: 'write a list of { "input": values }',
    });
  return requests.map((request: Readonly<Record<string, Nested>>) =>
    requestInputs(model.name, model.inputs, new Map(Object.entries(request))),
  );
};
