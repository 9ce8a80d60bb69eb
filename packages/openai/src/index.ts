export type { TextDescriptions } from "./find-models.ts";
export {
  createOpenAiDoor,
  type DoorAnswer,
  type DoorOptions,
  type DoorRequest,
  type OpenAiDoor,
} from "./open-ai-door.ts";
export type { AskModel, TextMessage, TextServer } from "./text-server.ts";
