import type { StreamedMessage } from "../runtime.ts";

/** A message, and how its sender finds out that the reader has received it. */
export interface QueuedMessage extends StreamedMessage {
  readonly taken?: (() => void) | undefined;
}

/** The messages of one answer, from the model that sends them to the one reader that receives them. */
export interface MessageQueue extends AsyncIterableIterator<StreamedMessage> {
  /** After the final message, or when the reader has stopped, all messages count as received. */
  push(message: QueuedMessage): void;
  /** Stops reading, even while `next()` waits. */
  return(): Promise<IteratorResult<StreamedMessage>>;
}

/** @param onEnd Called once: when the final message is pushed, or when the reader stops before that. */
export const createMessageQueue = (onEnd: (left: boolean) => void): MessageQueue => {
  let waiting: QueuedMessage[] = [];
  let reader: ((next: IteratorResult<StreamedMessage>) => void) | undefined;
  let ended = false;

  const end = (left: boolean): void => {
    if (ended) return;
    ended = true;
    const unread = waiting;
    waiting = left ? [] : unread.map((message) => ({ ...message, taken: undefined }));
    for (const { taken } of unread) taken?.();
    onEnd(left);
  };
  const give = ({ taken, ...value }: QueuedMessage): IteratorResult<StreamedMessage> => {
    taken?.();
    return { value, done: false };
  };
  const queue: MessageQueue = {
    push: (message) => {
      if (ended) {
        message.taken?.();
        return;
      }
      if (reader === undefined) {
        waiting.push(message);
      } else {
        reader(give(message));
        reader = undefined;
      }
      if (message.final) end(false);
    },
    next: () => {
      const message = waiting.shift();
      if (message !== undefined) return Promise.resolve(give(message));
      if (ended) return Promise.resolve(over);
      return new Promise((resolve) => {
        reader = resolve;
      });
    },
    return: () => {
      end(true);
      waiting = [];
      reader?.(over);
      reader = undefined;
      return Promise.resolve(over);
    },
    [Symbol.asyncIterator]: () => queue,
  };
  return queue;
};

const over: IteratorReturnResult<undefined> = { value: undefined, done: true };
