import { grpcStatusOf } from "@tritype/protocol";
import { errorText } from "./error-text.ts";

/** The text is sent percent-encoded in HTTP/2 headers, and clients accept only some kilobytes of them. */
export const textOf = (error: unknown): string => errorText(error, 2000);

/** A failure as the status that ends a call. */
export const statusOf = (error: unknown): Error & { readonly code: number } =>
  Object.assign(new Error(textOf(error)), { code: grpcStatusOf(error) });
