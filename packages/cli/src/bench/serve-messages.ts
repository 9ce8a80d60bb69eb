import type { ErrorCode } from "@tritype/core";

/** A repository and how it is served. */
export interface ServeStart {
  readonly repository: string;
  readonly device: "cpu" | "cuda" | "auto";
  readonly python: "twin" | "always";
  readonly configName: string | undefined;
  /** Size of the response cache in bytes. Default: none. */
  readonly responseCache?: number | undefined;
}

/** Messages to the child process, which serves each `id` at its own address. */
export type ServeRequest =
  | { readonly id: number; readonly start: ServeStart }
  | { readonly id: number; readonly start?: undefined };

/** An answer of the child process to the request with the same `id`. */
export type ServeAnswer =
  | { readonly kind: "serving"; readonly id: number; readonly http: string; readonly grpc: string }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: ErrorCode;
      readonly reason: string;
      readonly text: string;
      readonly help?: string;
    }
  | { readonly kind: "closed"; readonly id: number };

/** Messages from the child process. */
export type ServeMessage = { readonly kind: "note"; readonly text: string } | ServeAnswer;
