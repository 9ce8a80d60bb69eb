import { type Given, type OptionSpec, takes } from "../command.ts";
import { headerOption } from "../given-headers.ts";
import type { Terminal } from "../terminal.ts";
import type { ComparedServer } from "./stepwise-server.ts";

/** Options for the server that a page compares with. */
export const compareOptions: Readonly<Record<string, OptionSpec>> = {
  "compare-url": takes(
    "url",
    "another server (HTTP) that the inspector can send the same requests to, to compare every step",
  ),
  "compare-grpc-url": takes("host:port", "the gRPC address of that server, for models that stream", {
    needs: ["compare-url"],
  }),
  "compare-header": headerOption("compare-url", "compare-grpc-url"),
};

export const editorOption: OptionSpec = takes(
  "command",
  "the editor in which the inspector opens sources, or none (default: $LAUNCH_EDITOR, or one that is running; none if --host is not this machine)",
);

/** The server of `--compare-url`, if there is one. */
export const comparedServer = async (
  given: Given,
  terminal: Terminal,
): Promise<ComparedServer | undefined> =>
  given.text("compare-url") === undefined
    ? undefined
    : (await import("./stepwise-server.ts")).openCompared(given, terminal);
