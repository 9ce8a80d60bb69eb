/** A tensor in the memory of a frame. */
export interface FramedTensor {
  readonly shape: readonly number[];
  readonly bytes: Buffer<ArrayBuffer>;
  /** The position of its data in these bytes. */
  readonly at: number;
  readonly length: number;
}
