import { binaryData } from "./binary-data.ts";
import { classification } from "./classification.ts";
import { dtypes } from "./dtypes.ts";
import { encodings } from "./encodings.ts";
import { headers } from "./headers.ts";
import type { Requests } from "./infer-message.ts";
import { jsonInference } from "./json-inference.ts";
import { jsonPlaces } from "./json-places.ts";
import { jsonTexts } from "./json-texts.ts";
import { parameters } from "./parameters.ts";
import { routes } from "./routes.ts";

/**
 * Valid and invalid HTTP requests by subject. Bodies stay far below 2 MB, because the wheel's server crashes at that
 * size.
 */
export const httpRequests: Readonly<Record<string, Requests>> = {
  routes,
  "JSON inference": jsonInference,
  "kinds of JSON": jsonPlaces,
  "JSON as text": jsonTexts,
  "binary data": binaryData,
  dtypes,
  parameters,
  classification,
  encodings,
  headers,
};
