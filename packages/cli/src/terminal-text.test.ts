import pc from "picocolors";
import { expect, test } from "vitest";
import { terminalText } from "./terminal-text.ts";

test.each([
  ["sets the clipboard", "\u001b]52;c;cm0gLXJm\u0007", "␛]52;c;cm0gLXJm␇"],
  ["moves the cursor", "fine\u001b[2K\u001b[1A", "fine␛[2K␛[1A"],
  ["overwrites its line", "failed\rpassed", "failed␍passed"],
  ["moves the cursor in one character", "a\u009b2Jb\u007f", "a\ufffd2Jb␡"],
])("text that %s does not reach the terminal", (_, text, shown) => {
  expect(terminalText(text)).toBe(shown);
});

test("colors, lines, tabs and other languages stay", () => {
  const { red, bold } = pc.createColors(true);
  const text = `${red(bold("error"))}: größer\r\n\tעברית 日本`;
  expect(terminalText(text)).toBe(text);
});
