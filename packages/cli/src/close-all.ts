/** Calls all of the functions, the last one first, even if one fails. @throws the first error */
export const closeAll = async (closers: readonly (() => unknown)[]): Promise<void> => {
  const errors: unknown[] = [];
  for (const close of closers.toReversed())
    try {
      await close();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
};

/** The result of `work`. If it fails, the resource is closed, because nothing else will close it. */
export const orClosed = async <T>(
  opened: { readonly close: () => unknown },
  work: () => T | Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    await opened.close();
    throw error;
  }
};
