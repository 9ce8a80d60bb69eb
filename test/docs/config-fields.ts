/** A top-level field of a configuration. */
export interface ConfigField {
  readonly name: string;
  readonly text: string;
}

/** The top-level fields of a config.pbtxt, in order. */
export const configFields = (text: string): readonly ConfigField[] => {
  const starts: { readonly name: string; readonly at: number }[] = [];
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:\\.|[^"\\])*"|[{}[\]]|[A-Za-z_]\w*(?=\s*[:{[])|\S/g)) {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (
      depth === 0 &&
      /^[A-Za-z_]\w*$/.test(token) &&
      /^\s*[:{[]/.test(text.slice(index + token.length))
    )
      starts.push({ name: token, at: index });
  }
  return starts.map(({ name, at }, i) => ({ name, text: text.slice(at, starts[i + 1]?.at).trim() }));
};

/** A configuration with different fields: fields with the same names are removed, and the new line is where the first of them was, or at the end. */
export const withFields = (
  text: string,
  line: string,
  without: readonly string[],
): { readonly text: string /** Counts from 1; 0 if there is none. */; readonly line: number } => {
  const changed = new Set([...configFields(line).map(({ name }) => name), ...without]);
  if (changed.size === 0) return { text, line: 0 };
  const fields = configFields(text);
  const kept = fields.filter(({ name }) => !changed.has(name));
  const first = fields.findIndex(({ name }) => changed.has(name) && !without.includes(name));
  const at = first < 0 ? kept.length : fields.slice(0, first).filter(({ name }) => !changed.has(name)).length;
  const lines = kept.map((field) => field.text);
  const before = lines.slice(0, at);
  const all = line === "" ? lines : [...before, line, ...lines.slice(at)];
  return {
    text: `${all.join("\n")}\n`,
    line: line === "" ? 0 : before.join("\n").split("\n").length + (before.length === 0 ? 0 : 1),
  };
};
