import type { ManifestChat, ManifestTextModel } from "@tritype/manifest";
import type { ModelMetadata } from "@tritype/protocol";
import { builtModel } from "./built-model.ts";
import type { TextModel } from "./text-model.ts";
import type { TextServer } from "./text-server.ts";
import { takesText, tritonModel } from "./triton-model.ts";

/** Information about models that is not available from their server. */
export interface TextDescriptions {
  /** The ensembles of a build that produce text, from its manifest. */
  readonly built: ReadonlyMap<string, ManifestTextModel>;
  /** The chat template for all other models. */
  readonly chat: ManifestChat | undefined;
}

/** The models that continue text, by name. */
export const findModels = async (
  server: TextServer,
  descriptions: TextDescriptions,
): Promise<readonly TextModel[]> => {
  const found: TextModel[] = [];
  for (const name of await server.readyModels()) {
    const model = await findModel(server, descriptions, name);
    if (model !== undefined) found.push(model);
  }
  return found;
};

/** A model that is ready; undefined if it does not continue text. */
export const findModel = async (
  server: TextServer,
  { built, chat }: TextDescriptions,
  name: string,
): Promise<TextModel | undefined> => {
  const metadata = await server.modelMetadata(name);
  const described = built.get(name);
  if (described !== undefined && isServed(described, metadata)) return builtModel(name, described);
  if (!takesText(metadata)) return undefined;
  const { backend } = (await server.modelConfig(name)) as { readonly backend?: unknown };
  return tritonModel(metadata, typeof backend === "string" ? backend : "", chat);
};

/** Whether the served model is the described one: a repository can be edited after it was built. */
const isServed = ({ prompt, text }: ManifestTextModel, { inputs, outputs }: ModelMetadata): boolean =>
  inputs.some(({ name }) => name === prompt) && outputs.some(({ name }) => name === text);

/** The end of the error for a served model that this API does not list. */
export const whyUnlisted = async (server: TextServer, name: string): Promise<string> => {
  const { input = [] } = (await server.modelConfig(name)) as {
    readonly input?: readonly { readonly name: string; readonly optional?: boolean }[];
  };
  const needed = input.filter(({ optional }) => optional !== true).map((one) => `'${one.name}'`);
  return `. The server has it, but this API only lists models that continue a prompt without other required inputs. Its required inputs: ${needed.join(", ") || "none"}`;
};
