import type { RunEvent } from "../api.ts";

/** An error among the responses to a request. */
export interface PlacedError {
  readonly error: RunEvent & { readonly kind: "error" };
  /** The number of responses before it. */
  readonly responses: number;
}

/** At most this many errors are shown. */
const mostErrors = 200;

/** The first 200 errors, and the number of all others. */
export const placedErrors = (
  events: readonly RunEvent[],
): { readonly shown: readonly PlacedError[]; readonly left: number } => {
  const all: PlacedError[] = [];
  let responses = 0;
  for (const event of events)
    if (event.kind === "response") responses++;
    else if (event.kind === "error") all.push({ error: event, responses });
  return { shown: all.slice(0, mostErrors), left: Math.max(0, all.length - mostErrors) };
};
