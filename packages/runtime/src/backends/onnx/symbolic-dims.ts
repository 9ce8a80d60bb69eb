import type { NamedTensors, PipelineError } from "@tritype/core";
import type { OnnxSignature } from "@tritype/onnx";
import { invalidRequest } from "../../requests/request-error.ts";

/** The problem with a request's sizes; undefined if there is none. */
export type SymbolCheck = (inputs: NamedTensors, id: string) => PipelineError | undefined;

interface Place {
  readonly input: string;
  readonly axis: number;
  readonly symbol: string;
}

/**
 * ONNX Runtime accepts different sizes for the same name, so a model might combine rows that do not belong together.
 */
export const createSymbolCheck = (model: string, signature: OnnxSignature): SymbolCheck => {
  const places = signature.inputs.flatMap(({ name, dims = [] }) =>
    dims.flatMap((dim, axis): Place[] =>
      typeof dim === "string" ? [{ input: name, axis, symbol: dim }] : [],
    ),
  );
  const shared = places.filter((place) =>
    places.some((other) => other !== place && other.symbol === place.symbol),
  );
  if (shared.length === 0) return () => undefined;
  return (inputs, id) => {
    const first = new Map<string, Place & { readonly size: number }>();
    for (const { input, axis, symbol } of shared) {
      const size = inputs.get(input)?.shape[axis];
      if (size === undefined) continue;
      const other = first.get(symbol);
      if (other === undefined) first.set(symbol, { input, axis, symbol, size });
      else if (other.size !== size)
        return invalidRequest(
          id,
          `dimension ${axis} of input '${input}' is ${size}, but dimension ${other.axis} of input '${other.input}' is ` +
            `${other.size}: model '${model}' calls both '${symbol}'`,
        );
    }
    return undefined;
  };
};
