/** Text that is safe for a terminal: characters that would move the cursor or reverse the text are made visible. */
export const printable = (text: string): string =>
  text
    .replaceAll(controls, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replaceAll("\u007F", "\u2421")
    .replaceAll(/[\u0080-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069\p{Surrogate}]/gu, "\uFFFD");

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000B-\u001F]/g;

/** Like `printable`, on one line. */
export const printableLine = (text: string): string =>
  printable(text).replaceAll("\n", "\u240A").replaceAll("\t", "\u2409");

/** Text with control characters and line breaks as JSON writes them: `\n`, `\u001b`. */
export const escapeControls = (text: string): string =>
  text.replaceAll(
    controlsAndBreaks,
    (c) => short[c] ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

// oxlint-disable-next-line no-control-regex
const controlsAndBreaks = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/g;
const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
