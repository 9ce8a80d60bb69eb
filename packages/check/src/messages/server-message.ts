/** The contents of a message's placeholders: names of models and tensors, shapes and numbers. */
export type Names = Readonly<Record<string, string>>;

/**
 * A sentence with `{name}` for the content of a placeholder, or a function of the placeholders if the wording depends
 * on them.
 */
export type Sentence = string | ((names: Names) => string);

/** The thing to change: a file, the client, or how the server runs. */
export type FixPlace =
  | "model"
  | "ensemble"
  | "model-file"
  | "model-code"
  | "function"
  | "client"
  | "server"
  | "machine";

/** The meaning of a message. */
export interface Meaning {
  /** Codes with which `pipeline check` reports the fault in the repository before a server runs. */
  readonly codes?: readonly string[] | ((names: Names) => readonly string[]);
  /** Default: the model's configuration. */
  readonly fixIn?: FixPlace;
  /** A description of the event, with the names from the message. */
  readonly means: Sentence;
  /** Why the server refuses the request or model; default: the reason of the first code's rule. */
  readonly why?: Sentence;
  /** The fix, in the imperative; default: the help of the first code's rule. */
  readonly help?: Sentence;
}

/** A message that users read, and its meaning. */
export interface ServerMessage extends Meaning {
  /**
   * The message's text, with placeholders: `{model}` matches one name, `{limit:n}` a number, `{got:shape}` a shape such
   * as `[1,2]`, `{list:line}` everything up to the end of the line, `{model:name}` a name without quotes around it, `{model:step}` one that does not follow `Error: `,
   * `{model:instance}` the model of an instance such as `embed_0_0`, `{cause:rest}` everything that follows. Text
   * before and after the message is ignored.
   */
  readonly says: string | readonly string[];
  /** A line that a server prints even if nothing is wrong, for instance on a machine without a GPU. */
  readonly harmless?: boolean;
  /** The meaning if the same words appear while a model loads, in which case they are about one of its warmup samples. */
  readonly atLoad?: Partial<Meaning>;
  /** The meaning if the words come from a step of an ensemble. */
  readonly inEnsemble?: Partial<Meaning>;
  /** The meaning if a model's Python code raised the words: the model itself sent the request, not a client of the server. */
  readonly inModelCode?: Partial<Meaning>;
}

/** The given messages, with a default for the thing to change. */
export const fixedIn = (fixIn: FixPlace, messages: readonly ServerMessage[]): readonly ServerMessage[] =>
  messages.map((message) => ({ fixIn, ...message }));

/** A message in the form of a table row. */
export type MessageRow = readonly [
  says: ServerMessage["says"],
  fixIn: FixPlace,
  means: Sentence,
  help: string,
];

/** The messages that table rows describe. */
export const messagesOf = (rows: readonly MessageRow[]): readonly ServerMessage[] =>
  rows.map(([says, fixIn, means, help]) => ({ says, fixIn, means, help }));

/** Text around another message that says where it happened. */
export interface MessageWrapper {
  /** Like `says` of a message; `{cause:rest}` is the text inside. */
  readonly says: string;
  readonly at?: "load" | "ensemble";
  /** Whether a model's Python code raised the underlying error; `{model}` is that model if the message names it. */
  readonly raised?: true;
  readonly codes?: readonly string[];
  /** An addition to the meaning of the cause. */
  readonly where: Sentence;
  /** The meaning if the cause has no fixed text, such as a user's exception. */
  readonly alone?: Omit<Meaning, "codes">;
}

/** Fills in a sentence. */
export const fillSentence = (sentence: Sentence, names: Names): string =>
  typeof sentence === "function"
    ? sentence(names)
    : sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "");
