/**
 * Text as a terminal may get it. Messages contain the words of others: a server's error, a model's name, the output of a Python model. Colors stay; any
 * other control character becomes visible, so that it cannot move the cursor, set the clipboard or hide text.
 */
export const terminalText = (text: string): string => text.replaceAll(controls, shown);

// oxlint-disable-next-line no-control-regex
const controls = /\u001B\[[\d;]*m|\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

const shown = (found: string): string => {
  const code = found.charCodeAt(0);
  if (found.length > 1) return found;
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\uFFFD";
};
