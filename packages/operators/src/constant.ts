import {
  type DType,
  elementCount,
  isDType,
  type Json,
  type Scalar,
  showDims,
  showType,
  tensorOf,
} from "@tritype/core";
import { refuseBf16 } from "./dtype-rules.ts";
import { readElement } from "./element.ts";
import { type Failed, failed, single } from "./inferred.ts";
import { notADType } from "./not-a-dtype.ts";
import type { Attributes, Operator } from "./operator.ts";

/**
 * Attributes: `dtype`, `dims` (literals), `values` in row-major order as `readElement` reads them. `beside`, the type
 * of the tensor with which a number was combined, is only used in messages, not in the graph.
 */
export const constant: Operator = {
  name: "constant",
  infer(_operands, attributes) {
    const read = readConstant(attributes);
    return "problem" in read ? read : single(read.dtype, read.dims);
  },
  padding(_operands, attributes) {
    const read = readConstant(attributes);
    if ("problem" in read) return { axes: [] };
    const [first] = read.values;
    const uniform = read.values.every((value) => value === first);
    return {
      all: uniform && first !== undefined && typeof first !== "object" ? Number(first) : undefined,
      axes: read.dims.map(() => undefined),
    };
  },
  lower(builder, _operands, attributes) {
    const read = readConstant(attributes);
    return "problem" in read ? {} : { out: builder.constant(tensorOf(read.dtype, read.dims, read.values)) };
  },
};

interface Constant {
  readonly dtype: DType;
  readonly dims: readonly number[];
  readonly values: readonly Scalar[];
}

const readConstant = ({ dtype, dims, values, beside }: Attributes): Constant | Failed => {
  if (typeof dtype !== "string" || !isDType(dtype)) return notADType(dtype);
  if (!isSizes(dims))
    return failed("shape/bad-constant", `a constant needs literal sizes, got ${showWritten(dims)}`);
  const shown = typeof beside === "string" ? beside : showType({ dtype, dims });
  const refused = refuseBf16(dtype, shown);
  if (refused !== undefined) return refused;
  if (beside === undefined && dims.length === 0 && Array.isArray(values) && values.length > 1)
    return failed(
      "shape/bad-constant",
      `a list of ${values.length} values needs dims after it, such as constant(${dtype.toLowerCase()}, […], ${values.length})`,
    );
  if (!Array.isArray(values) || values.length !== elementCount(dims))
    return failed(
      "shape/bad-constant",
      `${shown} has ${elementCount(dims)} elements, got ${Array.isArray(values) ? values.length : JSON.stringify(values)}`,
    );
  const scalars: Scalar[] = [];
  for (const value of values as readonly Json[]) {
    const read = readElement(dtype, value, shown);
    if (read.problem !== undefined) return read;
    scalars.push(read.value);
  }
  return { dtype, dims, values: scalars };
};

const isSizes = (dims: Json | undefined): dims is readonly number[] =>
  Array.isArray(dims) && dims.every((dim) => typeof dim === "number" && Number.isInteger(dim) && dim >= 0);

const showWritten = (dims: Json | undefined): string =>
  Array.isArray(dims) ? showDims(dims) : JSON.stringify(dims);
