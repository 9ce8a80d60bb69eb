/** Line of `run.mjs` → its position in the user's functions. */
export type Places = Readonly<Record<string, string>>;

/** An error's message and its position in the user's functions, like `told` in an emitted `model.py`. */
export const tellError = (error: unknown, places: Places): string => {
  if (!(error instanceof Error)) return String(error);
  const text =
    error.name === "TypeError" && unusable.test(error.message)
      ? "TypeError: undefined or null where a value is needed"
      : error.message === ""
        ? error.name
        : `${error.name}: ${error.message}`;
  return text + placeOf(error.stack ?? "", places);
};

/** V8's message for a missing value; Python has a different one for each way to use it. */
const unusable = new RegExp(
  [
    "^Cannot (?:read|set) propert(?:y|ies) .*of (?:undefined|null)",
    "^Cannot destructure",
    "^Cannot convert undefined or null to object",
    "^Cannot use 'in' operator to search for .* in (?:undefined|null)$",
    "^Spread syntax requires",
    "^[\\w$.[\\]()!?'\" ]+ is not (?:iterable|a function)",
  ].join("|"),
);

const placeOf = (stack: string, places: Places): string => {
  const frames = stack.slice(Math.max(0, stack.search(/\n {4}at /)));
  for (const [, line = ""] of frames.matchAll(/run\.mjs:(\d+):\d+/g)) {
    const place = places[line];
    if (place !== undefined) return ` (${place})`;
  }
  return "";
};
