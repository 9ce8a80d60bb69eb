/** Whether a tensor of this shape fits the dims of a configuration, where -1 stands for any size. */
export const fitsDims = (dims: readonly number[], shape: readonly number[]): boolean =>
  dims.length === shape.length && dims.every((dim, i) => dim === -1 || dim === shape[i]);
