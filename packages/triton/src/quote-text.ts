/** UTF-8 stays readable; control characters become escapes, three octal digits if there is no letter. */
export const quoteText = (text: string): string => {
  // oxlint-disable-next-line no-control-regex
  const escaped = text.replaceAll(/["\\\u0000-\u001f\u007f]/g, (char) => escapes[char] ?? octal(char));
  return `"${escaped}"`;
};

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
