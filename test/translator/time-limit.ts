import { Script } from "node:vm";

const script = new Script("globalThis.translatorCall()");

/** Calls a function that may not end: undefined after that many milliseconds, otherwise its result. */
export const withinTime = <T>(call: () => T, milliseconds: number): { readonly value: T } | undefined => {
  let made: { readonly value: T } | undefined;
  const globals = globalThis as { translatorCall?: () => void };
  globals.translatorCall = () => {
    made = { value: call() };
  };
  try {
    script.runInThisContext({ timeout: milliseconds });
    return made;
  } catch (error) {
    if ((error as { code?: string }).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return undefined;
    throw error;
  } finally {
    delete globals.translatorCall;
  }
};
