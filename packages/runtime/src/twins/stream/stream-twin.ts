import { availableParallelism } from "node:os";
import { join } from "node:path";
import { foreignError, invariant, type NamedTensors, PipelineError, tryDecodeUtf8 } from "@tritype/core";
import { openPieces, type Pieces, type Start } from "@tritype/generation";
import { type StreamingOptions, streamTwinSchema } from "@tritype/manifest";
import { activeInstances } from "@tritype/triton";
import type { LoadedModel, ModelRequest, ModelVersion } from "../../backend.ts";
import { failureAt } from "../../failure-at.ts";
import { createRoom } from "../../streaming/room.ts";
import { type ModelThread, openModelThread } from "../../threads/model-thread.ts";
import type { Decoder } from "../decoder.ts";
import { readRequest } from "../generate/read-request.ts";
import { openDecoder } from "../open-decoder.ts";
import { openInstances } from "../open-instances.ts";
import { readOptions } from "../read-options.ts";
import { openAnswer, type StreamAnswer } from "./stream-answer.ts";
import type { MadeToken, RowEnd, StreamStart, ToStream } from "./stream-messages.ts";

/**
 * The native twin of a streaming generate step: the same tokens, texts and errors as the emitted `model.py`, which is the
 * contract. Each instance is a thread with its own loop. Undefined if the Rust library that decodes text cannot be loaded;
 * then the Python runs.
 * @throws PipelineError as `loadTwin` does.
 */
export const loadStreamTwin = async (
  given: unknown,
  model: ModelVersion,
): Promise<LoadedModel | undefined> => {
  const options = readOptions(streamTwinSchema, given, model);
  const decoder =
    options.text === undefined ? undefined : await openDecoder(join(model.versionFolder, "tokenizer.json"));
  if (options.text !== undefined && decoder === undefined) return undefined;
  const instances = activeInstances(model.config).length;
  const { text: _, ...loop } = options;
  const start: StreamStart = {
    options: loop,
    folder: model.versionFolder,
    threads: Math.max(1, Math.floor(availableParallelism() / instances)),
  };
  const places = model.config.max_batch_size ?? 1;
  const opening = Array.from({ length: instances }, () => openInstance(start, options, decoder, places));
  const opened = await openInstances(options.step, opening);
  const idle = [...opened];
  return {
    instances,
    streams: true,
    async execute(requests) {
      const instance = idle.pop();
      invariant(instance !== undefined, `${model.name} runs more requests than it has instances`);
      for (const request of requests) await instance.add(request);
      idle.push(instance);
      return requests.map(() => ({ outputs: new Map() }));
    },
    close: async () => {
      await Promise.all(opened.map((instance) => instance.close()));
    },
  };
};

/** A loop in its own thread. */
interface Instance {
  /** Resolves when there is room for the request's row; the answer follows through `reply`. */
  add(request: ModelRequest): Promise<void>;
  /** Ends the loop; rows that have not ended fail. */
  close(): Promise<void>;
}

const openInstance = async (
  start: StreamStart,
  options: StreamingOptions,
  decoder: Decoder | undefined,
  places: number,
): Promise<Instance> => {
  const answers = new Map<number, StreamAnswer>();
  const thread: ModelThread<ToStream, RowEnd> = await openModelThread<ToStream, RowEnd, readonly MadeToken[]>(
    "./stream-worker.js",
    import.meta.url,
    start,
    "the loop's thread has ended",
    (made) => {
      for (const { id, token, isLast } of made) answers.get(id)?.add(token, isLast);
    },
  );
  const room = createRoom(places);
  let closed = false;
  /** Resolves when the row is no longer wanted or has ended in the loop. */
  const run = async (row: Start, pieces: Pieces | undefined, request: ModelRequest): Promise<void> => {
    let number = -1;
    const answer = openAnswer(request, {
      step: options.step,
      pieces,
      endTokens: options.settings.eos_token_id,
      now: () => performance.now(),
      onEnd: () => {
        room.leave();
        thread.post({ kind: "leave", id: number });
      },
    });
    try {
      const { failure } = await thread.ask((id) => {
        number = id;
        answers.set(id, answer);
        thread.post({ kind: "add", id, start: row });
      });
      if (failure !== undefined) answer.fail(new Error(failure));
    } catch (error) {
      answer.fail(closed ? new Error("the model is being unloaded") : error);
    } finally {
      answers.delete(number);
    }
  };
  return {
    async add(request) {
      await room.free();
      try {
        if (request.signal?.aborted === true)
          throw foreignError("request/cancelled", "the request was cancelled");
        const row = readRow(request.inputs, options);
        const pieces = decoder === undefined ? undefined : piecesOf(request.inputs, options, decoder);
        room.take();
        void run(row, pieces, request);
      } catch (error) {
        request.reply?.({ result: { error: failureAt(`${options.step}: `, error) }, final: true });
      }
    },
    close: () => {
      closed = true;
      thread.post({ kind: "unload" });
      return thread.close();
    },
  };
};

const readRow = (inputs: NamedTensors, options: StreamingOptions): Start => {
  const rows = readRequest(inputs, options);
  const [row] = rows;
  if (row !== undefined && rows.length === 1) return row;
  throw invalid(`the request has ${rows.length} rows; a streaming step takes one, so send each on its own`);
};

const piecesOf = (inputs: NamedTensors, { text, perRequest }: StreamingOptions, decoder: Decoder): Pieces => {
  invariant(text !== undefined, "a step without text has no pieces");
  const said = perRequest.includes("stop") ? inputs.get("stop") : undefined;
  return openPieces({
    decode: async (tokens) => (await decoder.decode([tokens], text.skipSpecialTokens))[0] ?? "",
    padId: text.padId,
    checkToken: (token) => checkToken(token, decoder),
    cleanUp: text.cleanUp,
    stop: said?.dtype === "BYTES" ? stopTexts(said.data) : text.stop,
  });
};

const stopTexts = (given: readonly Uint8Array[]): readonly string[] => {
  const texts = given.map((bytes) => {
    const text = tryDecodeUtf8(bytes);
    if (text === undefined) throw invalid("row 0 of stop is not valid UTF-8");
    return text;
  });
  if (texts.includes(""))
    throw invalid("row 0 of stop contains an empty string, and every text begins with one");
  return texts;
};

const checkToken = (token: number, decoder: Decoder): void => {
  if (!decoder.isToken(token))
    throw new Error(
      `the model generated id ${token}, which is not one of the ${decoder.size} tokens of tokenizer.json`,
    );
};

const invalid = (text: string): PipelineError => foreignError("request/invalid", text);
