import { type ConfigProblem, faultTexts } from "@tritype/triton";

export interface SyntaxHint {
  readonly help: string;
  /** The position of the mistake if it is before the position at which parsing stops. */
  readonly place?: { readonly line: number; readonly column: number };
}

/** The likely meaning of text that does not parse. */
export const syntaxHint = (problem: ConfigProblem, text: string): SyntaxHint | undefined => {
  const { message, line = 1, column = 1 } = problem;
  const lines = text.split("\n", line);
  const last = lines.pop() ?? "";
  const head = [...lines, last.slice(0, column - 1)].join("\n");
  const before = [...lines.slice(-20), last.slice(0, column - 1)].join("\n");
  const after = last.slice(column - 1);
  const rest = text.slice(head.length);
  const comma = /,\s*(?:#[^\n]*\n\s*)*$/.exec(before);
  if (comma && after.startsWith("]"))
    return {
      help: "remove the comma before `]`",
      place: placeOf(head.slice(0, head.length - comma[0].length)),
    };
  for (const [says, left, right, help] of hints) {
    const found = isSaid(says, message) && left.test(before) ? right.exec(after) : undefined;
    if (found) return { help: typeof help === "string" ? help : help(found[0]) };
  }
  const unclosed = openBracket(head);
  const help = bracketHint(message, rest, unclosed);
  return help === undefined ? undefined : { help };
};

const any = /(?:)/;
const colon = "protobuf text format has `:` between a name and its value";
const straight = 'write straight quotes, `"`';

/** Habits from other languages in protobuf text, by error message, preceding text and following text. */
const hints: readonly (readonly [
  says: string | undefined,
  before: RegExp,
  after: RegExp,
  help: string | ((found: string) => string),
])[] = [
  [undefined, any, /^(?:<{7}|={7}|>{7}|\|{7})/, "git left its conflict markers here: resolve the merge"],
  [undefined, any, /^\/[/*]/, "comments begin with `#`"],
  [
    undefined,
    /^\s*$/,
    /^\{/,
    "this is protobuf text, not JSON: write fields without outer braces and names without quotes",
  ],
  [faultTexts.fieldName, any, /^["']/, "write field names without quotes"],
  [undefined, any, /^\\/, "write a backslash in a string as `\\\\`, use `/` in paths"],
  [undefined, any, /^[“”„‟‘’‚«»`´]/, straight],
  [faultTexts.openString, any, /^["'][^"'\n]*[“”‘’]/, straight],
  [
    faultTexts.openString,
    any,
    /^(["'])(?:(?!\1)[^\\]|\\.)*\\?$/,
    "end the string with the quote that it begins with",
  ],
  [undefined, any, /^\$\{|^\{\{|^<%/, "fill in the template first"],
  [undefined, any, /^["']TYPE_/, "write the datatype without quotes"],
  [undefined, any, /^-?\d+\.\d/, "write a whole number"],
  [undefined, /:\s*$/, /^["']/, "write the value without quotes"],
  [undefined, any, /^(?:\w+\s*)?=/, colon],
  [undefined, /,\s*$/, /^,/, "one comma is enough"],
  [undefined, any, /^,/, "remove the comma: there is nothing before it"],
  [undefined, /:\s*$/, /^(?:\w+\s*[:{[<]|[}\]])/, "the value before this is missing"],
  [undefined, /:\s*$/, /^\s*$/, "the value is missing"],
  [
    faultTexts.string,
    any,
    /^[^\s,;:{}[\]<>#"]+/,
    (word) => `put it in quotes: \`"${word.replace(/'$/, "")}"\``,
  ],
  [faultTexts.bool, any, any, "write `true` or `false`"],
  [faultTexts.colon, any, /^\s*[\w"'-]/, colon],
  [faultTexts.colon, any, /^\s*$/, "write `:` and a value after the name"],
  [faultTexts.listEnd, any, /^;/, "write `,` between the items of a list"],
];

/** Whether a message is the given sentence, perhaps with a name after it; always true without a sentence. */
const isSaid = (says: string | undefined, message: string): boolean =>
  says === undefined || message === says || message.startsWith(`${says} `);

interface OpenBracket {
  readonly bracket: string;
  readonly line: number;
}

const bracketHint = (message: string, rest: string, open: OpenBracket | undefined): string | undefined => {
  const ended = rest.replaceAll(/#[^\n]*/g, "").trim() === "";
  if (open === undefined)
    return /^[}\]>]/.test(rest)
      ? `no bracket is open at this point: remove this \`${rest.charAt(0)}\`, or an extra one before it`
      : undefined;
  const { bracket, line } = open;
  const closing = partners.get(bracket) ?? "";
  const begun = `the \`${bracket}\` of line ${line}`;
  if (ended) return `the text ends, and ${begun} is not closed: write \`${closing}\``;
  if (/^[}\]>]/.test(rest) && !rest.startsWith(closing))
    return `${begun} is not closed: write \`${closing}\` before this \`${rest.charAt(0)}\``;
  if (message !== faultTexts.listEnd) return undefined;
  return /^[A-Za-z_]\w*\s*[:{[<]/.test(rest)
    ? `${begun} is not closed: write \`]\` after the list's last item`
    : "write `,` between the items of a list";
};

const partners: ReadonlyMap<string, string> = new Map([
  ["{", "}"],
  ["[", "]"],
  ["<", ">"],
]);

/** The innermost bracket that a text opens but does not close. */
const openBracket = (head: string): OpenBracket | undefined => {
  const open: { bracket: string; at: number }[] = [];
  for (const { 0: found, index: at } of head.matchAll(brackets)) {
    if (partners.has(found)) open.push({ bracket: found, at });
    else if (/[}\]>]/.test(found) && found.length === 1) open.pop();
  }
  const last = open.at(-1);
  return last && { bracket: last.bracket, line: placeOf(head.slice(0, last.at)).line };
};

/** Includes strings and comments, so that their contents are skipped. */
const brackets = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|#[^\n]*|[[\]{}<>]/g;

/** The position of the character after a text. */
const placeOf = (head: string): { readonly line: number; readonly column: number } => {
  const lines = head.split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
};
