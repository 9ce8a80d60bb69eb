import { invariant } from "@tritype/core";
import { entries } from "../registry.ts";
import type { ServerMessage } from "./server-message.ts";

/**
 * The server's message for a rule, taken from the rule itself; `which` selects one if the rule has several. If there
 * are several codes, the first is the rule that has the message.
 */
export const ofRule = (
  codes: string | readonly string[],
  which?: string,
): Pick<ServerMessage, "says" | "codes"> => {
  const all = [codes].flat();
  const words = entries.find(({ code }) => code === all[0])?.words;
  const says = typeof words === "object" ? words[which ?? ""] : words;
  invariant(says !== undefined, `rule ${all[0]} has no such message`);
  return { says, codes: all };
};
