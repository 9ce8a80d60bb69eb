import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds without a change after which no more is expected, if both servers have the same. More than the delay of exports of spans. */
const brief = 75;
/** Milliseconds for one server, and for two that differ. */
const quiet = 150;

/**
 * The records of one or two servers, once no more arrive. On a busy machine, one server's records may arrive later, so this waits up to
 * 20 s while the numbers of lines differ. `arrived` returns each server's records so far.
 */
export const settled = async (
  arrived: () => Promise<readonly (readonly string[])[]>,
): Promise<readonly (readonly string[])[]> => {
  const end = Date.now() + 20_000;
  let before: readonly string[] = [];
  for (let since = Date.now(); Date.now() < end; await sleep(10)) {
    const found = await arrived();
    const texts = found.map((records) => records.join("\n"));
    if (texts.join("\n") !== before.join("\n")) since = Date.now();
    before = texts;
    const [theirs = "", ours = theirs] = texts;
    const isSame = theirs !== "" && texts.length > 1 && theirs === ours;
    const isComplete = linesOf(theirs) === linesOf(ours);
    if (isComplete && Date.now() - since >= (isSame ? brief : quiet)) return found;
  }
  return arrived();
};

const linesOf = (text: string): number => (text === "" ? 0 : text.split("\n").length);
