import { type Dim, type Dims, type Json, showDim, showDims } from "@tritype/core";
import { axesNamed } from "./dims.ts";
import { type Failed, failed } from "./inferred.ts";
import type { Problem } from "./operator.ts";

/** Dims as the author wrote them, with the tensor's names replaced by the dims that they refer to. */
export type ReadDims =
  | { readonly dims: Dims; readonly problem?: undefined }
  | { readonly problem: Problem; readonly dims?: undefined };

/** Reads sizes, names and -1; a name that `own` lacks is kept unchanged. */
export const readDims = (written: Json | undefined, own: Dims): ReadDims => {
  if (!Array.isArray(written)) return notDims(written, own);
  const dims: Dim[] = [];
  for (const [index, dim] of (written as readonly Json[]).entries()) {
    if (!isDim(dim)) return notDims(dim, own);
    if (typeof dim === "number") {
      dims.push(dim);
      continue;
    }
    const meant = meantBy(dim, own, index);
    if (meant.length > 1)
      return failed("axis/ambiguous", `the name ${dim} stands for several sizes of ${showDims(own)}`, {
        help: "they come from different calls: write the size, or -1",
      });
    dims.push(meant[0] ?? dim);
  }
  return { dims };
};

/** The name in the source may match sizes of several calls; the size at the same position is preferred. */
const meantBy = (name: string, own: Dims, index: number): readonly Dim[] => {
  const here = own[index];
  if (typeof here === "string" && showDim(here) === name) return [here];
  return [...new Set(axesNamed(own, name).map((axis) => own[axis] ?? -1))];
};

const isDim = (dim: Json): dim is Dim =>
  typeof dim === "string" || (typeof dim === "number" && Number.isInteger(dim) && dim >= -1);

const notDims = (written: Json | undefined, own: Dims): Failed =>
  failed(
    "shape/bad-reshape",
    `${JSON.stringify(written)} is not a dim: it is a size, a name of ${showDims(own)} or -1`,
  );

/** @returns a problem if the tensor does not have a given name. */
export const needOwnNames = (dims: Dims, own: Dims): Failed | undefined => {
  const unknown = dims.find((dim) => typeof dim === "string" && !own.includes(dim));
  return unknown === undefined
    ? undefined
    : failed("axis/unknown", `no dim named ${showDim(unknown)} in ${showDims(own)}`);
};
