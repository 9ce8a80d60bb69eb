import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** A message of a real server or an official client. Lines are appended and never changed. */
export interface RecordedMessage {
  /** The request: "gRPC: wrong dtype". */
  readonly about: string;
  readonly from: "http" | "client" | "log" | "load" | "start";
  /** The server's container release. */
  readonly release: string;
  readonly text: string;
}

const file = new URL("messages.jsonl", import.meta.url);

export const readMessages = (): readonly RecordedMessage[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as RecordedMessage)
    : [];

/** Appends the requests that are not recorded yet. */
export const keepMessage = (message: RecordedMessage): void => {
  if (readMessages().some(({ about }) => about === message.about)) return;
  appendFileSync(file, `${JSON.stringify(message)}\n`);
};

/** Folders, ports and addresses of the recording machine are not part of a message. */
export const withoutPlaces = (text: string): string =>
  text
    .replaceAll(/\/\S*?tritype-judge-\w+\/model_repository/g, "/models")
    .replaceAll(/\/\S*?\/backends-\w+/g, "/backends")
    .replaceAll(/\/\S*?\/site-packages/g, "/site-packages")
    .replaceAll(/(127\.0\.0\.1:)\d{4,5}/g, "$18001")
    .replaceAll(/\b0x[0-9a-f]{6,}/g, "0x7f00")
    .replaceAll(/^([EW])\d{4} [\d:.]+ \d+ /g, "$11121 12:00:00.000000 1 ")
    .trimEnd();
