import { readFileSync } from "node:fs";
import type { FixPlace, ServerMessage } from "@tritype/check";
import { pagesAt } from "./diagnostic-pages.ts";

/** One error, as shown in the reference. */
export interface ErrorPage {
  /** "drift/no-requests", or a code itself: "file/not-found". */
  readonly reason: string;
  /** The code that the reason belongs to. */
  readonly code: string;
  /** The meaning of the code. */
  readonly means: string;
  /** Markdown that describes a code with all its reasons, or one reason. */
  readonly page: string;
  /** The error as shown in the terminal, with `<placeholders>`; undefined for a code without its own message. */
  readonly message: string | undefined;
  readonly help: string;
}

/** Every code and reason of `docs/reference/errors.md`. */
export const readErrorPages = (): readonly ErrorPage[] =>
  readFileSync(pagesAt("errors.md", "reference/errors.md"), "utf8")
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [code = "", means = "", help = "", ...fence] = section.trimEnd().split("\n\n");
      const texts = fence.map((text) => text.replaceAll(/^```(?:text)?\n?|\n```$/g, ""));
      const errors = texts.map((text) => errorIn(text, help));
      const own = errors.find(({ reason }) => reason === code);
      const others = errors.filter((error) => error !== own);
      const all = [own?.page ?? [], others.map(({ reason, page }) => [`### ${reason}`, page])].flat(2);
      return [
        { reason: code, message: own?.message, help: own?.help ?? help, page: [means, help, ...all] },
        ...others.map((error) => ({ ...error, page: [error.page, `${code}: ${means} ${help}`] })),
      ].map(({ page, ...error }) => ({
        ...error,
        code,
        means,
        page: `# ${[error.reason, ...page].join("\n\n")}\n`,
      }));
    });

/** The errors as messages that a log line may contain. */
export const errorMessages = (pages: readonly ErrorPage[]): readonly ServerMessage[] =>
  pages.flatMap(({ reason, code, means, message, help }) => {
    const says = message?.replaceAll(/<(\w+)>/g, "{$1}");
    const words = says?.replaceAll(/\{\w+\}/g, "") ?? "";
    if (says === undefined || words.length < fewestLetters) return [];
    const fill = (text: string): string =>
      text.replaceAll(/<(\w+)>/g, (hole, name: string) => (says.includes(`{${name}}`) ? `{${name}}` : hole));
    return [{ says, means: says, why: means, help: fill(help), fixIn: fixPlaceOf(code), codes: [reason] }];
  });

/** Texts with fewer fixed letters would match other programs' messages. */
const fewestLetters = 16;

const errorIn = (text: string, help: string): Pick<ErrorPage, "reason" | "message" | "help" | "page"> => {
  const [, reason = "", message, own = help] =
    /^error\[([^\]]+)\]: ([^]*?)(?:\n {2}= help: ([^]*?))?$/.exec(text) ?? [];
  return { reason, message, help: own, page: `\`\`\`text\n${text}\n\`\`\`` };
};

/** The part that must be changed, according to the subject of a code. */
const fixPlaceOf = (code: string): FixPlace => fixPlaces[code.split("/")[0] ?? ""] ?? "machine";
const fixPlaces: Readonly<Record<string, FixPlace>> = {
  request: "client",
  tensor: "client",
  usage: "client",
  model: "model",
  repository: "model",
  project: "model",
  server: "server",
  port: "server",
};
