import type { ErrorCode } from "@tritype/core";

/** The first message to the child process. */
export interface ServeStart {
  readonly repository: string;
  readonly device: "cpu" | "cuda" | "auto";
  readonly python: "twin" | "always";
  readonly configName: string | undefined;
}

/** Messages from the child process. */
export type ServeMessage =
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "serving"; readonly http: string; readonly grpc: string }
  | {
      readonly kind: "failed";
      readonly code: ErrorCode;
      readonly reason: string;
      readonly text: string;
      readonly help?: string;
    };
