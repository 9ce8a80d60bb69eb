import { type Dims, showDim } from "@tritype/core";

/** The sizes of named dims, each with the tensor that it was first seen in. */
export type NamedSizes = Map<string, NamedSize>;

interface NamedSize {
  readonly size: number;
  readonly tensor: string;
}

/** Notes the sizes of a tensor's named dims. Returns the first name, as users wrote it, that already has another size. */
export const bindDims = (
  sizes: NamedSizes,
  tensor: string,
  dims: Dims,
  shape: readonly number[],
): { readonly dim: string; readonly size: number; readonly known: NamedSize } | undefined => {
  for (const [axis, dim] of dims.entries()) {
    const size = shape[axis];
    if (typeof dim !== "string" || size === undefined) continue;
    const known = sizes.get(dim);
    if (known === undefined) sizes.set(dim, { size, tensor });
    else if (known.size !== size) return { dim: showDim(dim), size, known };
  }
  return undefined;
};
