/** A function as people write it, and the rows that it is called with. */
export interface Case {
  readonly name: string;
  readonly run: (row: never) => unknown;
  /** JSON values, for some of which the function throws. */
  readonly rows: readonly unknown[];
}

/** One row for a theme's step. */
export interface Call {
  readonly name: string;
  readonly row: unknown;
}

export interface Answer {
  readonly answer: unknown;
}

/** Runs the function of this name; nothing is caught. */
export const answerTo = (cases: readonly Case[], { name, row }: Call): Answer | Promise<Answer> => {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new RangeError(`there is no function ${name}`);
  const value = found.run(row as never);
  return value instanceof Promise ? value.then((answer: unknown) => ({ answer })) : { answer: value };
};
