import type { IncomingMessage } from "node:http";
import type { CancelSignal, Runtime } from "@tritype/runtime";
import type { HttpApi } from "./http-api.ts";
import type { Extensions } from "./extensions.ts";
import type { ForwardedNames } from "./forwarded-headers.ts";
import type { Restrictions } from "./restrictions.ts";

export interface RouteContext {
  readonly runtime: Runtime;
  readonly extensions: Extensions;
  readonly request: IncomingMessage;
  /** Other APIs on the same port. */
  readonly apis: readonly HttpApi[];
  readonly maxBodyBytes: number;
  readonly forwardedNames: ForwardedNames;
  readonly restrictions: Restrictions | undefined;
  /** Aborted when the client disconnects before it has its answer. */
  readonly signal: CancelSignal;
  /** Called for internal failures that no request caused. */
  readonly onInternalError: ((error: unknown) => void) | undefined;
}
