import type { Span } from "./span.ts";
import { fillTemplate, type ParameterNames } from "./template.ts";

export type Severity = "error" | "warning";

/** A position that a diagnostic refers to. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/** A mistake by the pipeline's author, as plain data that is collected and sorted but never thrown. */
export interface Diagnostic {
  /** Permanent slug, such as `shape/dim-mismatch`; its page is `docs/diagnostics/<code>.md`. */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence that uses the user's own names. */
  readonly message: string;
  /** The first is the position at which the problem appears; later ones are its causes. */
  readonly labels: readonly Label[];
  readonly notes: readonly string[];
  /** The fix, as an imperative sentence. */
  readonly help: string | undefined;
  /** The server's own message, if known. */
  readonly words?: string;
}

/** One entry of a catalog: the sentences of a code. `{name}` is the placeholder of a parameter. */
export interface DiagnosticEntry {
  /** Default: an error. */
  readonly severity?: Severity;
  readonly message: string;
  readonly help?: string;
  /**
   * The server's own message, with the same parameters; if there are several, an object with a name for each.
   * A parameter may describe its format, for code that searches text for the message: `{limit:n}`.
   */
  readonly words?: string | Readonly<Record<string, string>>;
}

type Catalog = Readonly<Record<string, DiagnosticEntry>>;

type WordsOf<E> = E extends { readonly words: infer W } ? W : never;
type TextOf<E> = E extends { readonly message: infer M }
  ? M | (E extends { readonly help: infer H } ? H : never) | Extract<WordsOf<E>, string>
  : never;
/** The parts that only some reports have. */
type ChoicesOf<E> = Exclude<WordsOf<E>, string>;
type Parameter = string | number | bigint;

/** The content of a report, except for its code. */
export interface Report<E> {
  /** A value for every `{name}` of the entry's sentences. */
  readonly with: { readonly [N in ParameterNames<TextOf<E>>]: Parameter } & {
    readonly [N in ParameterNames<ChoicesOf<E>[keyof ChoicesOf<E>]>]?: Parameter;
  };
  readonly labels: readonly Label[];
  readonly notes?: readonly string[];
  /** Replaces the catalog's help if the caller knows more. */
  readonly help?: string | undefined;
  /** Selects the server's message if there are several. */
  readonly words?: [ChoicesOf<E>] extends [never] ? never : keyof ChoicesOf<E>;
}

/** Creates diagnostics from one catalog; parameters are checked against the sentences that use them. */
export type Diagnose<C extends Catalog> = <K extends keyof C & string>(
  code: K,
  report: Report<C[K]>,
) => Diagnostic;

/** Returns a function that creates diagnostics from a catalog: code → severity, sentence, help. */
export const defineDiagnostics =
  <const C extends Catalog>(catalog: C): Diagnose<C> =>
  (code, { with: parameters, labels, notes = [], help, words: chosen }) => {
    const entry = catalog[code] as DiagnosticEntry;
    const fill = (text: string): string => fillTemplate(text, parameters);
    const advice = help ?? (entry.help === undefined ? undefined : fill(entry.help));
    const template = typeof entry.words === "object" ? entry.words[chosen as string] : entry.words;
    const words = template === undefined ? undefined : fill(template);
    return {
      code,
      severity: entry.severity ?? "error",
      message: fill(entry.message),
      labels,
      notes,
      help: advice,
      ...(words === undefined ? {} : { words }),
    };
  };

/** Sorts by file, line and column, then by code; diagnostics without a position come first. */
export const sortDiagnostics = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics.toSorted((a, b) => {
    const [x, y] = [a.labels[0]?.span, b.labels[0]?.span];
    if (x === undefined || y === undefined) return (x ? 1 : 0) - (y ? 1 : 0) || compare(a.code, b.code);
    return compare(x.file, y.file) || x.line - y.line || x.column - y.column || compare(a.code, b.code);
  });

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((d) => d.severity === "error");

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
