/** Prints a line to stderr. */
export const notice = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Makes what a project's tests share before the first of them runs, so that no test's time goes to a download. A failure is printed;
 * the tests that need it fail.
 */
export const prepare = async (make: () => Promise<unknown>): Promise<void> => {
  await make().catch((error: unknown) => notice(String(error)));
};
