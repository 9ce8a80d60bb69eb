/** The names in braces in a sentence: `{limit}`, or `{limit:n}`, which also describes the value's format. */
export type ParameterNames<S> = S extends `${string}{${infer Hole}}${infer Rest}`
  ? NameIn<Hole> | ParameterNames<Rest>
  : never;
/** Braces that belong to code, such as `{ … }` and `{ {name}: … }`, are plain text. */
type NameIn<Hole> = Hole extends `${string}{${infer Inner}`
  ? NameIn<Inner>
  : Hole extends `${infer Name}:${string}`
    ? NameIn<Name>
    : Hole extends `${string}${" " | '"' | "…"}${string}`
      ? never
      : Hole;

/** Replaces the names with values. */
export const fillTemplate = (text: string, parameters: Readonly<Record<string, unknown>>): string =>
  text.replaceAll(/\{(\w+)(?::\w+)?\}/g, (_, name: string) => String(parameters[name]));
