import { remembered } from "@tritype/core";
import { entries } from "../registry.ts";
import { messagePattern, type MessagePattern, wordsOf } from "./message-pattern.ts";
import {
  fillSentence,
  type Meaning,
  type FixPlace,
  type MessageWrapper,
  type Names,
  type ServerMessage,
} from "./server-message.ts";
import { serverMessages } from "./server-messages.ts";
import { wrappers } from "./wrappers.ts";

/** The meaning of a message from a server or a client. */
export interface Explanation {
  /** The known message, with its placeholders. */
  readonly message: string;
  /** The values of the placeholders, including those of the wrapper: `model`, `tensor`, `ensemble`, `version`, … */
  readonly names: Names;
  /** Where it happened, from the outermost place inwards: "in a step of ensemble `e`". */
  readonly where: readonly string[];
  /** Whether the message is about loading a model or about a request. */
  readonly phase: "load" | "request";
  readonly means: string;
  readonly why: string | undefined;
  readonly help: string;
  readonly fixIn: FixPlace;
  /** Whether the message may be harmless, because the server also prints it on a machine without a GPU. */
  readonly harmless: boolean;
  /** Codes of the findings with which `pipeline check` reports the fault earlier, most likely first. */
  readonly codes: readonly string[];
}

/**
 * Finds the meaning of a message that a server or a client printed; undefined if none of its words are known.
 * @param more Additional known messages, besides those of Triton and its clients.
 */
export const explainMessage = (
  text: string,
  more: readonly ServerMessage[] = [],
): Explanation | undefined => {
  const whole = readable(text);
  const { around, inner } = unwrap(whole);
  const known = more.length === 0 ? patterns : [...patterns, ...compiled(more)];
  const found = best(inner, known) ?? (inner === whole ? undefined : best(whole, known));
  const names = Object.assign({}, ...around.map((one) => one.names), found?.names ?? {}) as Names;
  const last = around.findLast(({ wrapper }) => wrapper.alone !== undefined);
  if (found === undefined && last?.wrapper.alone === undefined) return undefined;
  const phase = around.some(({ wrapper }) => wrapper.at === "load") ? "load" : "request";
  const inEnsemble = around.some(({ wrapper }) => wrapper.at === "ensemble");
  const raised = around.some(({ wrapper }) => wrapper.raised === true);
  const meaning: Meaning =
    found === undefined
      ? (last?.wrapper.alone as Meaning)
      : {
          ...found.message,
          ...(phase === "load" ? found.message.atLoad : inEnsemble ? found.message.inEnsemble : {}),
          ...(raised ? found.message.inModelCode : {}),
        };
  const own = typeof meaning.codes === "function" ? meaning.codes(names) : (meaning.codes ?? []);
  const codes = [...own, ...around.flatMap(({ wrapper }) => wrapper.codes ?? [])];
  const rule = entries.find(({ code }) => code === codes[0]);
  const why = meaning.why ?? rule?.reason;
  return {
    message: found?.says ?? last?.wrapper.says ?? "",
    names,
    where: around.map((one) => fillSentence(one.wrapper.where, { ...names, ...one.names })).filter(Boolean),
    phase,
    means: fillSentence(meaning.means, names),
    why: why === undefined ? undefined : fillSentence(why, names),
    help: fillSentence(meaning.help ?? rule?.help ?? "run `pipeline check` on the repository", names),
    fixIn: meaning.fixIn ?? "model",
    harmless: found?.message.harmless === true,
    codes,
  };
};

/** The known messages that are closest to an unknown text, with their placeholders; at most three. */
export const nearestMessages = (text: string): readonly string[] => {
  const words = new Set(wordsOf(text.slice(0, longest)));
  return patterns
    .map(({ says, pattern }) => {
      const shared = pattern.words.filter((word) => words.has(word) && !common.has(word)).length;
      return { says, shared, share: shared / Math.max(1, pattern.words.length) };
    })
    .filter(({ shared, share }) => shared >= 2 && share >= 0.4)
    .toSorted((a, b) => b.share * b.shared - a.share * a.shared)
    .slice(0, 3)
    .map(({ says }) => says);
};

const common = new Set(["the", "for", "model", "and", "not", "with", "failed", "error", "invalid"]);

interface KnownMessage {
  readonly says: string;
  readonly message: ServerMessage;
  readonly pattern: MessagePattern;
}

const patternsOf = (messages: readonly ServerMessage[]): readonly KnownMessage[] =>
  messages.flatMap((message) =>
    (typeof message.says === "string" ? [message.says] : message.says).map((says) => ({
      says,
      message,
      pattern: messagePattern(says),
    })),
  );
const patterns = patternsOf(serverMessages);
/** Cached, because the same messages are compared with every line of a log. */
const compiled = remembered(patternsOf);
const wrapperPatterns = wrappers.map((wrapper) => ({ wrapper, pattern: messagePattern(wrapper.says) }));

/** The matching message that has the most fixed text. */
const best = (
  text: string,
  messages: readonly KnownMessage[],
): (KnownMessage & { readonly names: Names }) | undefined => {
  let chosen: (KnownMessage & { readonly names: Names }) | undefined;
  for (const known of messages) {
    if (chosen !== undefined && chosen.pattern.weight >= known.pattern.weight) continue;
    const found = known.pattern.find(text);
    if (found !== undefined) chosen = { ...known, names: found.names };
  }
  return chosen;
};

interface Around {
  readonly wrapper: MessageWrapper;
  readonly names: Names;
}

/** Strips the words around a message, outermost first. */
const unwrap = (text: string): { readonly around: readonly Around[]; readonly inner: string } => {
  const around: Around[] = [];
  for (let inner = text; ; ) {
    let first: (Around & { readonly index: number }) | undefined;
    for (const { wrapper, pattern } of wrapperPatterns) {
      const found = pattern.find(inner);
      if (found !== undefined && (first === undefined || found.index < first.index))
        first = { wrapper, ...found };
    }
    if (first === undefined) return { around, inner };
    const { cause = "", ...names } = first.names;
    around.push({ wrapper: first.wrapper, names });
    inner = cause;
  }
};

/** Messages are short; anything longer is a traceback or not a message. */
const longest = 4000;

/** Logs and JSON escape quotes and line breaks. */
const readable = (text: string): string =>
  text
    .slice(0, longest)
    .replaceAll('\\"', '"')
    .replaceAll("\\n", "\n")
    .replaceAll("\\t", "\t")
    .replace(/"\}\s*$/, "");
