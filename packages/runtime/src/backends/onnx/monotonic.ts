/** Microseconds on the clock that all threads of the process share. */
export const monotonic = (): number => Number(process.hrtime.bigint()) / 1000;
