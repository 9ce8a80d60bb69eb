import type { Diagnostic, Json, Label, Signature, Span, StepDefinition } from "@tritype/core";
import type { ModelConfig, TritonRelease } from "@tritype/triton";
import type { ManifestChat, ManifestPackage, ManifestValues, TextSettings } from "@tritype/manifest";
import type { CompilerHost } from "./compiler-host.ts";
import type { MathTaker } from "./fuse/math-taker.ts";
import type { NativePackage } from "./node/bundle.ts";
import type { Tree } from "./tree.ts";

/** The information that a step kind gets. */
export interface StepContext {
  readonly host: CompilerHost;
  /** Whether the first dim of its tensors is "batch". */
  readonly batched: boolean;
  /** The maximum batch size; 0 if the step is not batched. */
  readonly maxBatchSize: number;
  /** The Triton release that the repository is built for. */
  readonly release: TritonRelease;
}

/** A step's place in the ensembles, which its model depends on too. */
export interface ModelOptions {
  /**
   * Whether its model should hold an error for 10 ms: an ensemble starts it right before other steps, and the release may hang
   * or crash if it fails before those have started.
   */
  readonly holdErrors: boolean;
  /** The names of a step's tensors in requests, if they differ from its declaration. */
  readonly namesOf: (step: string) => TensorNames | undefined;
}

/** A value that was read, and its faults. If a diagnostic is an error, `value` may be missing and is not used. */
export interface Found<T> {
  readonly diagnostics: readonly Diagnostic[];
  readonly value?: T | undefined;
}

/** A faster Node implementation of the emitted Python; used only while all hashes match. */
export interface Twin {
  /** Which of the runtime's implementations: "tokenizer", … */
  readonly kind: string;
  readonly options: Readonly<Record<string, Json>>;
}

/** A file of a version folder that only a machine like the server can create, such as a TensorRT plan. */
export interface PreparedFile {
  /** Its path in the version folder. */
  readonly path: string;
  /** The image that contains the tool. */
  readonly image: string;
  /** Its sources; the command runs in a folder that contains these paths. */
  readonly sources: Tree;
  /** The tool and its arguments; `{path}` in them is replaced by the path to write to. */
  readonly command: readonly string[];
}

/** The part of a step's model that belongs to one version. */
export interface StepVersion {
  /** Files of the version folder, paths relative to it. */
  readonly files: Tree;
  readonly twin?: Twin;
  /** Files that the build cannot write; it writes the script that creates them. Default: none. */
  readonly prepared?: readonly PreparedFile[];
}

/**
 * The tensors' names in a model's configuration, by their names in the step's declaration; unlisted tensors keep their
 * name.
 */
export interface TensorNames {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

/** An ONNX file in the version folders that runs instead of the model if the model's backend is missing. */
export interface StandInModel {
  /** `backend`, `default_model_filename` and the other fields that the stand-in needs in a profile that uses it. */
  readonly config: Partial<ModelConfig> & { readonly backend: string };
  /** Outputs as they are in the file, by their names in the step's declaration. */
  readonly outputs: Signature;
}

/** The model of a step. The compiler adds name, inputs, outputs, max_batch_size and the author's own fields. */
export interface StepModel {
  /** `backend`, `default_model_filename` and other fields set by the kind; the author's fields win if both set one. */
  readonly config: Partial<ModelConfig> & { readonly backend: string };
  /** Files of the version folder, paths relative to it; with `versions`, of every version's folder. */
  readonly files: Tree;
  /** Several versions listed by the author, numbered from 1. Default: version 1 with `files` and `twin`. */
  readonly versions?: ReadonlyMap<number, StepVersion>;
  /** Outputs as the configuration declares them, if that differs from the declaration. */
  readonly outputs?: Signature;
  /** Python packages that the emitted code imports, in pip's notation: `numpy`, `tokenizers==0.23.2`. */
  readonly requirements?: readonly string[];
  readonly twin?: Twin;
  /** The author's functions that errors of the model name, with their first lines. */
  readonly functions?: readonly { readonly name: string; readonly source: Span }[];
  /** npm packages that its files contain, with their licences. Default: none. */
  readonly packages?: readonly ManifestPackage[];
  /** npm packages with native addons, which the server needs in the version folder. Default: none. */
  readonly nativePackages?: readonly NativePackage[];
  /** Files of version 1 that the build cannot write. Default: none. */
  readonly prepared?: readonly PreparedFile[];
  /** Names that the backend requires instead of the declared ones. Default: as declared. */
  readonly tensorNames?: TensorNames;
  /** The stand-in that profiles with `useStandIn: true` serve. Default: none. */
  readonly standIn?: StandInModel;
  /**
   * Whether its code calls other models (BLS). Triton crashes if such a model is warmed up, so it never is. Default
   * false.
   */
  readonly callsModels?: boolean;
  /** Which models these are, if known: they come before it in the manifest's load order. Default: none. */
  readonly calls?: readonly string[];
}

/** Token ids that a step creates from texts. */
export interface MadeTokens {
  /** The output that contains them. */
  readonly output: string;
  /** The file that determines them, for use in messages. */
  readonly file: string;
  /** The largest id that a text can produce. */
  readonly largest: { readonly id: number; readonly token: string };
  readonly pad: { readonly id: number; readonly token: string };
  /** Maximum number of tokens per row. */
  readonly maxLength: number;
}

/** The token ids that a step's model accepts. */
export interface TakenTokens {
  /** The file that determines them, for use in messages. */
  readonly file: string;
  /** By input: the number of known tokens. */
  readonly tokens: ReadonlyMap<string, number>;
  /** Maximum number of tokens per row; undefined if unknown. */
  readonly positions: number | undefined;
}

/** The contribution of a step to continuing a text. */
export type TextPart =
  /** `text` → `input_ids`. */
  | { readonly kind: "tokens"; readonly chat: ManifestChat | undefined }
  /** `input_ids` → `sequences`, and perhaps `text`. `perRequest`: its inputs for the settings of a request. */
  | {
      readonly kind: "generation";
      readonly settings: TextSettings;
      readonly perRequest: readonly string[];
    }
  /** `ids` → `text`. */
  | { readonly kind: "text" };

/**
 * Whether a model refuses requests, which code does and a tensor model hardly ever: `held` if its code can hold back
 * the error (`holdErrors` of the context), `immediate` if it cannot.
 */
export type Refusals = "none" | "held" | "immediate";

/** The allowed elements of an input. */
export type AcceptedValues = ManifestValues;

/** A step whose options and files were read without faults: everything else that the compiler asks about it. */
export interface ReadStep {
  model(options: ModelOptions): StepModel;
  /** Whether its model is decoupled, and answers a request of one row any number of times. Default false. */
  readonly streams?: boolean;
  /** The token ids that a version of it creates. Default: none. */
  makesTokens?(version: number): MadeTokens | undefined;
  /** The token ids that a version of it looks up in tables. Default: unknown. */
  takesTokens?(version: number): TakenTokens | undefined;
  /** Its ONNX file, to which tensor math next to it may be added, or why not: a clause. Default: it has none. */
  takesMath?(): MathTaker | string | undefined;
  /** Default: it has no part in continuing a text. */
  readonly textPart?: TextPart | undefined;
  /** By input: its model refuses all other elements. Default: it accepts any element, except ids beyond `takesTokens`. */
  readonly accepts?: Readonly<Record<string, AcceptedValues>>;
}

/** Name of an option → its form, such as a schema of zod. */
export type OptionForms = Readonly<Record<string, OptionForm>>;
export interface OptionForm {
  safeParse(value: unknown): {
    readonly error?: { readonly issues: readonly FormIssue[] } | undefined;
  };
}

/** A fault of a value, as zod reports it. */
export interface FormIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Unknown names in the object at `path`. */
  readonly keys?: readonly string[];
  /** The reason why the value has none of several forms, for each form. */
  readonly errors?: readonly (readonly FormIssue[])[];
}

/** A wrong value in the options of a step. */
export interface OptionFault {
  /** For the text of a diagnostic: the step and its kind, the option, what it must be, and its actual value. */
  readonly with: Readonly<Record<"got" | "kind" | "option" | "reason" | "step", string>>;
  /** The place of the value. */
  readonly labels: readonly Label[];
}

/** A kind of step: how its options and files are read, and what model it becomes. Shared code never asks for a kind's name. */
export interface StepKind {
  readonly kind: string;
  /**
   * Its options in addition to Triton's own fields: their names, or name → form. Other names, and values of other forms, are then reported
   * and the step is not read. Default: any.
   */
  readonly options?: readonly string[] | OptionForms;
  /** The finding for an option that does not have its form. Default: `model/bad-field`. */
  readonly invalidOption?: (fault: OptionFault) => Diagnostic;
  /** An ensemble starts models that refuse requests after the others that it starts with them. Default "none". */
  readonly refusals?: Refusals;
  /** Names of its options that profiles may override, in addition to Triton's own fields. Default: none. */
  readonly profileOptions?: readonly string[];
  /** Reads the step's options and files, once, and checks them against the declaration. */
  read(step: StepDefinition, context: StepContext): Found<ReadStep>;
}

/** The steps of a program that were read, by name. */
export type ReadSteps = ReadonlyMap<string, { readonly step: StepDefinition; readonly read: ReadStep }>;
