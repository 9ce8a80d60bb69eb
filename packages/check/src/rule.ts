import {
  type Diagnostic,
  type DiagnosticEntry,
  defineDiagnostics,
  type Label,
  type Report,
  type Severity,
} from "@tritype/core";
import { inTermsOf } from "./in-terms.ts";
import type { ModelContext, RepositoryContext } from "./model-context.ts";

/** The evidence that a rule is correct. */
export type Judge =
  /** The real server loads or refuses generated configurations. */
  | "live"
  /** The real server with a stub instead of the backend. */
  | "stub"
  /** Recorded responses from a server with the C++ backend. */
  | "recorded"
  /** ONNX Runtime from PyPI, the library that the backend is built with, without a server. */
  | "library"
  /** Derived from the backend's source code, because we have no server with the backend or the device. */
  | "source"
  /** Our own rule: Triton loads the model, which then fails at request time. */
  | "ours";

/** The properties of a rule, without its check. */
export interface RuleEntry extends DiagnosticEntry {
  /** A permanent slug, such as `config/negative-batch`. */
  readonly code: string;
  readonly severity: Severity;
  /** Numbers of the Triton rules that it covers, such as "66" or "32b"; empty for our own rules. */
  readonly triton: readonly string[];
  readonly judged: Judge;
  /** First container release that has the rule, such as "25.03"; default: all. */
  readonly since?: string;
  /** Last container release that has the rule; default: all. */
  readonly until?: string;
  /**
   * Triton refuses the model while loading it, not while reading the repository, so the index shows its state. "completed":
   * only if it completes configurations, because the tensors are not known before.
   */
  readonly atLoad?: true | "completed";
  /**
   * Triton loads the model, but requests never finish or are answered twice, so a server that can refuse the model must
   * do so.
   */
  readonly neverAnswers?: true;
  /** The status of Triton's message if it is not `Invalid argument`. */
  readonly status?: "Internal" | "Unsupported";
  /**
   * Fixing the finding may change the tensors or max_batch_size, so they are not compared with those of other models.
   */
  readonly disputesTensors?: true;
  /**
   * Why the rule matters, as a sentence for the docs page. For our own rules, the sentence describes what goes wrong at
   * request time.
   */
  readonly reason: string;
}

/**
 * A rule as its author writes it. By default, Triton's rules are errors that were verified against a live server, and
 * our own rules are warnings. The entry states any deviation from this.
 */
export type WrittenEntry = Omit<RuleEntry, Implied> & Partial<Pick<RuleEntry, Implied>>;
type Implied = "triton" | "severity" | "judged";

/** A complete rule. `scope` says what the rule checks. */
export type Rule =
  | {
      readonly scope: "model";
      readonly entry: RuleEntry;
      readonly check: (model: ModelContext) => readonly Diagnostic[];
    }
  | {
      readonly scope: "repository";
      readonly entry: RuleEntry;
      /** The kind of problem between an ensemble and its members, if the rule reports only that kind. */
      readonly problem?: string;
      readonly check: (repository: RepositoryContext) => readonly Diagnostic[];
    };

/**
 * Reports a finding: its position, a value for every `{name}` in the entry's sentences, and the parts of the report that differ
 * from the entry. The rule adds the code and the values that it knows itself (`Known`).
 */
export type RuleReport<E, Known extends string = never> = (
  labels: Label | readonly Label[],
  ...values: {} extends ReportValues<E, Known> ? [values?: ReportValues<E, Known>] : [ReportValues<E, Known>]
) => void;
type ReportValues<E, Known extends string> = Omit<Report<E>["with"], Known> &
  Partial<Pick<Report<E>["with"], Known & keyof Report<E>["with"]>> &
  Pick<Report<E>, "help" | "notes" | "words">;

/** A rule about one model, whose name is the value of `{model}`. */
export const modelRule = <const E extends WrittenEntry>(
  written: E,
  check: (model: ModelContext, report: RuleReport<E, "model">) => void,
): Rule => ({
  scope: "model",
  ...collect(written, (model: ModelContext, report) => check(model, knowing(report, { model: model.name }))),
});

/** A rule about several models together, such as their names, ensembles or load order. Runs after all model rules. */
export const repositoryRule = <const E extends WrittenEntry>(
  written: E,
  check: (repository: RepositoryContext, report: RuleReport<E>) => void,
): Rule & { readonly scope: "repository" } => ({ scope: "repository", ...collect(written, check) });

/** The report, with values that callers need not provide. */
export const knowing =
  <E, Known extends string, More extends string>(
    report: RuleReport<E, Known>,
    known: Readonly<Partial<Record<More, string | undefined>>>,
  ): RuleReport<E, Known | More> =>
  (labels, values?: object) =>
    report(labels, { ...known, ...values } as never);

const collect = <E extends WrittenEntry, C extends Pick<ModelContext, "options">>(
  written: E,
  check: (context: C, report: RuleReport<E>) => void,
): { readonly entry: RuleEntry; readonly check: (context: C) => readonly Diagnostic[] } => {
  const entry = completeEntry(written);
  const diagnose = defineDiagnostics<Readonly<Record<string, RuleEntry>>>({ [entry.code]: entry });
  return {
    entry,
    check(context) {
      const found: Diagnostic[] = [];
      check(context, (labels, values?: object) => {
        const { help, notes, words, ...parameters }: Partial<Report<RuleEntry>> = { ...values };
        const finding = diagnose(entry.code, {
          with: parameters,
          labels: [labels].flat(),
          help,
          notes,
          words,
        } as never);
        found.push(inTermsOf(context.options, finding, parameters));
      });
      return found;
    },
  };
};

/** The complete entry, with the defaults that the rule leaves out. */
export const completeEntry = <E extends WrittenEntry>(written: E): E & Pick<RuleEntry, Implied> => {
  const { triton = [], judged = triton.length > 0 ? "live" : "ours" } = written;
  const { severity = judged === "ours" ? "warning" : "error" } = written;
  return { ...written, triton, judged, severity };
};

/**
 * The stage at which Triton refuses a model because of this rule; undefined if it does not. Backends refuse models when
 * they load them.
 * @param strict Whether Triton completes no configurations.
 */
export const refusedAt = (
  { severity, judged, atLoad }: RuleEntry,
  strict: boolean | undefined,
): "poll" | "load" | undefined => {
  if (severity !== "error" || judged === "ours") return undefined;
  return atLoad === true ||
    (atLoad === "completed" && strict !== true) ||
    (judged !== "live" && judged !== "stub")
    ? "load"
    : "poll";
};

/** Whether a rule applies to a release. */
export const appliesTo = ({ since, until }: Pick<RuleEntry, "since" | "until">, container: string): boolean =>
  (since === undefined || container >= since) && (until === undefined || container <= until);
