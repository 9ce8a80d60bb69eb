/** Work that can be interrupted: it yields wherever somebody else may run. A body of many megabytes is read without a pause otherwise. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all of it at once. */
export const finish = <T>(steps: Steps<T>): T => {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
};

/** Bytes of JSON that the engine's parser may read in one go: some milliseconds. */
export const shortText = 262_144;

/** Bytes, or elements, between two places where work may be interrupted: well below a millisecond. */
export const stepSize = 16_384;
