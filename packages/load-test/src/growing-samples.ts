/** Numbers that are collected one by one: 8 bytes each, all of them kept. */
export interface GrowingSamples {
  add(sample: number): void;
  sorted(): Float64Array;
}

/** Every sample exactly; a minute at 50,000 a second takes 24 MB. */
export const growingSamples = (): GrowingSamples => {
  let samples = new Float64Array(1024);
  let count = 0;
  return {
    add: (sample) => {
      if (count === samples.length) {
        const larger = new Float64Array(count * 2);
        larger.set(samples);
        samples = larger;
      }
      samples[count++] = sample;
    },
    sorted: () => samples.subarray(0, count).toSorted(),
  };
};
