/** Settles like `work`, but rejects with the signal's reason as soon as it is aborted. */
export const orAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => (stop = () => reject(signal.reason as Error)));
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
};
