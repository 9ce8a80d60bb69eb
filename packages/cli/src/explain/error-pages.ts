import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Mender, ServerMessage } from "@tritype/check";
import { invariant } from "@tritype/core";

/** One error, as the reference shows it. */
export interface ErrorPage {
  /** "drift/no-requests", or a code itself: "file/not-found". */
  readonly reason: string;
  /** The code that the reason belongs to. */
  readonly code: string;
  /** The meaning of the code. */
  readonly means: string;
  /** Markdown: a code with all its reasons, or one reason. */
  readonly page: string;
  /** How the terminal shows it, with `<holes>`; undefined for a code without words of its own. */
  readonly message: string | undefined;
  readonly help: string;
}

/** Every code and reason of `docs/reference/errors.md`. */
export const readErrorPages = (): readonly ErrorPage[] =>
  readFileSync(place(), "utf8")
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [head = "", ...reasons] = section.split(/^### /m);
      const [code = "", means = "", help = ""] = head.split("\n\n");
      const own = { reason: code, code, means, ...shownIn(head, help), page: `# ${section}` };
      return [
        own,
        ...reasons.map((text) => ({
          reason: text.split("\n", 1)[0] ?? "",
          code,
          means,
          ...shownIn(text, help),
          page: `# ${text.trimEnd()}\n\n${code}: ${means} ${help}\n`,
        })),
      ];
    });

/** The errors as messages that a line of a log may contain. */
export const errorMessages = (pages: readonly ErrorPage[]): readonly ServerMessage[] =>
  pages.flatMap(({ reason, code, means, message, help }) => {
    const says = message?.replaceAll(/<(\w+)>/g, "{$1}");
    const words = says?.replaceAll(/\{\w+\}/g, "") ?? "";
    if (says === undefined || words.length < fewestLetters) return [];
    const fill = (text: string): string =>
      text.replaceAll(/<(\w+)>/g, (hole, name: string) => (says.includes(`{${name}}`) ? `{${name}}` : hole));
    return [{ says, means: says, why: means, help: fill(help), mend: menderOf(code), codes: [reason] }];
  });

/** Texts with fewer fixed letters would match other programs' messages. */
const fewestLetters = 16;

const shownIn = (text: string, help: string): Pick<ErrorPage, "message" | "help"> => {
  const [, message, own = help] =
    /```text\nerror\[[^\]]+\]: ([^]*?)(?:\n {2}= help: ([^]*?))?\n```/.exec(text) ?? [];
  return { message, help: own };
};

/** The thing to change, by the subject of a code. */
const menderOf = (code: string): Mender => menders[code.split("/")[0] ?? ""] ?? "machine";
const menders: Readonly<Record<string, Mender>> = {
  request: "client",
  tensor: "client",
  usage: "client",
  model: "model",
  repository: "model",
  project: "model",
  server: "server",
  port: "server",
};

/** Packing copies the page into the package; in the workspace it is read from its source folder. */
const place = (): string => {
  const places = ["../../pages/errors.md", "../../../../docs/reference/errors.md"];
  const found = places.map((path) => fileURLToPath(new URL(path, import.meta.url))).find(existsSync);
  invariant(found !== undefined, "the package has no page of errors");
  return found;
};
