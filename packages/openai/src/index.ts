export type { TextDescriptions } from "./find-models.ts";
export { createOpenAiDoor, type DoorOptions, type OpenAiDoor } from "./open-ai-door.ts";
