/**
 * Captures the stack of a call. The result gives it to an error, because only this stack is certain to contain the
 * author's line.
 * @param called The function that was called, and that calls this one. The stack begins with its caller.
 */
export const callSite = (called: (...args: never[]) => unknown): (<E extends Error>(error: E) => E) => {
  // A function may have replaced Error.prepareStackTrace, which may return anything.
  const at: { readonly stack?: unknown } = {};
  Error.captureStackTrace(at, called);
  return (error) => {
    if (typeof at.stack === "string") error.stack = String(error) + at.stack.replace(/^[^\n]*/, "");
    return error;
  };
};

/** Printed errors without the frames of Node and of this host. */
export const withoutInnerFrames = (text: string): string => text.replaceAll(innerFrame, "");
const innerFrame =
  /\n +at (?:async )?(?:[^\n]*\()?(?:node:|file:[^\n]*\/(?:host|inputs)\.mjs:)[^\n]*?(?=(?: \{|,)?(?:\n|$))/g;

/** Whether a stack has a frame in a file outside Node and this host. */
export const hasOuterFrame = (stack: string): boolean => /\n +at [^\n]*\//.test(withoutInnerFrames(stack));
