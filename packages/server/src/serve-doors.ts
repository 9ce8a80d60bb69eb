import { defaultMaxInputBytes } from "@tritype/protocol";
import type { Runtime } from "@tritype/runtime";
import { errorAnswer } from "./answer.ts";
import { answerDoor } from "./answer-door.ts";
import type { HttpDoor } from "./http-door.ts";
import { type HttpServer, type ListenOptions, serveAnswers } from "./serve-answers.ts";

export interface DoorOptions extends ListenOptions {
  readonly doors: readonly HttpDoor[];
  /** Sends the doors' requests to models. */
  readonly stream: Runtime["stream"];
  /** Maximum size of a request body in bytes, compressed or not. Default 64 MiB. */
  readonly maxBodyBytes?: number;
}

/**
 * Serves only doors, with the same checks of hosts and origins as `serveHttp`, and without Triton's API.
 * @throws PipelineError `port/in-use`; `server/unreachable` if the host is not an address of this machine.
 */
export const serveDoors = ({
  doors,
  stream,
  maxBodyBytes = defaultMaxInputBytes,
  ...listen
}: DoorOptions): Promise<HttpServer> =>
  serveAnswers((request, signal) => {
    const [path = ""] = (request.url ?? "").split("?");
    const door = doors.find((one) => path.startsWith(one.path));
    if (door === undefined) return errorAnswer(404, "Not Found");
    const context = { request, signal, maxBodyBytes, onInternalError: listen.onInternalError };
    return answerDoor(door, path, context, stream);
  }, listen);
