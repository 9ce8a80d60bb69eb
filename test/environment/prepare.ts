/** Prints a line to stderr. */
export const notice = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Prepares the shared environment of a project's tests before the first one runs, so that downloads do not count against
 * a test's time limit. A failure is printed, and then the tests that need the environment fail.
 */
export const prepare = async (make: () => Promise<unknown>): Promise<void> => {
  await make().catch((error: unknown) => notice(String(error)));
};
