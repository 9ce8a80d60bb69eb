/** Prints a line to stderr. */
export const notice = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Prepares what a project's tests share before the first of them runs, so that downloads do not count against a test's
 * time. A failure is printed; the tests that need it fail.
 */
export const prepare = async (make: () => Promise<unknown>): Promise<void> => {
  await make().catch((error: unknown) => notice(String(error)));
};
