import type { InspectorOptions } from "@tritype/inspector";
import type { Given, OptionSpec } from "../command.ts";
import { headerOption } from "../given-headers.ts";
import type { Terminal } from "../terminal.ts";

/** The other server of a page's comparisons. */
export const compareOptions: Readonly<Record<string, OptionSpec>> = {
  "compare-url": {
    value: "url",
    summary: "another server (HTTP) that the inspector can send the same requests to, to compare every step",
  },
  "compare-header": headerOption("compare-url"),
};

export const editorOption: OptionSpec = {
  value: "command",
  summary:
    "the editor in which the inspector opens sources, or none (default: $LAUNCH_EDITOR, or one that is running; none if --host is not this machine)",
};

/** The server of `--compare-url`, if there is one. */
export const comparedServer = async (given: Given, terminal: Terminal): Promise<InspectorOptions["other"]> =>
  given.text("compare-url") === undefined
    ? undefined
    : (await import("./stepwise-server.ts")).openCompared(given, terminal);
