/**
 * Interruptible work, which yields wherever other work may run. Otherwise, a body of many megabytes would be read
 * without a pause.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all the work in one step. */
export const finish = <T>(steps: Steps<T>): T => {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
};

/** The maximum number of bytes of JSON that the engine's parser reads in one step, which takes a few milliseconds. */
export const shortText = 262_144;

/**
 * The number of bytes or elements between two points at which work may be interrupted; they take well below a
 * millisecond.
 */
export const stepSize = 16_384;

/** Number of bytes that are copied between two such points, which takes less than a millisecond. */
const copySize = 2 ** 20;

/** `concatBytes`, interruptible. */
export function* concatSteps(parts: readonly Uint8Array[]): Steps<Uint8Array> {
  const whole = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const part of parts)
    for (let from = 0; from < part.byteLength; from += copySize) {
      const piece = part.subarray(from, from + copySize);
      whole.set(piece, at);
      at += piece.byteLength;
      if (piece.byteLength === copySize) yield;
    }
  return whole;
}
