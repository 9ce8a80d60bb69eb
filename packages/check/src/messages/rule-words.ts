import { invariant } from "@tritype/core";
import { entries } from "../registry.ts";
import type { ServerMessage } from "./server-message.ts";

/** A message that says what a rule finds. */
export const ofRule = (code: string, which?: string): Pick<ServerMessage, "says" | "codes"> => ({
  says: ruleWords(code, which),
  codes: [code],
});

/** The server's message for a rule, taken from the rule itself; `which` selects one if it has several. */
export const ruleWords = (code: string, which?: string): string => {
  const words = entries.find((entry) => entry.code === code)?.words;
  const found = typeof words === "object" ? words[which ?? ""] : words;
  invariant(found !== undefined, `rule ${code} has no such words`);
  return found;
};
