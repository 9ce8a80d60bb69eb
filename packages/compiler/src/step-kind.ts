import type { Diagnostic, Json, Label, Signature, StepDefinition } from "@tritype/core";
import type { ModelConfig, TritonRelease } from "@tritype/triton";
import type {
  ManifestChat,
  ManifestFunction,
  ManifestPackage,
  ManifestValues,
  TextSettings,
} from "@tritype/manifest";
import type { CompilerHost } from "./compiler-host.ts";
import type { MathTaker } from "./fuse/math-taker.ts";
import type { NativePackage } from "./node/bundle.ts";
import type { Tree } from "./tree.ts";

/** The information that is passed to a step kind. */
export interface StepContext {
  readonly host: CompilerHost;
  /** Whether the first dim of its tensors is "batch". */
  readonly batched: boolean;
  /** The maximum batch size; 0 if the step is not batched. */
  readonly maxBatchSize: number;
  /** The Triton release for which the repository is built. */
  readonly release: TritonRelease;
}

/** How the ensembles use a step, which also affects the step's model. */
export interface ModelOptions {
  /**
   * Whether its model should delay errors by 10 ms, because an ensemble starts it right before other steps, and the
   * release may hang or crash if it fails before those have started.
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

/** A faster Node implementation of the emitted Python, which is only used while all hashes match. */
export interface Twin {
  /** Selects one of the runtime's implementations: "tokenizer", … */
  readonly kind: string;
  readonly options: Readonly<Record<string, Json>>;
}

/** A file in a version folder that only a machine like the server can create, such as a TensorRT plan. */
export interface PreparedFile {
  /** The file's path in the version folder. */
  readonly path: string;
  /** The image that contains the tool. */
  readonly image: string;
  /** Its source files; the command runs in a folder that contains these paths. */
  readonly sources: Tree;
  /** The tool and its arguments, in which `{path}` is replaced with the path to write to. */
  readonly command: readonly string[];
}

/** The part of a step's model that belongs to one version. */
export interface StepVersion {
  /** Files in the version folder, with paths relative to it. */
  readonly files: Tree;
  readonly twin?: Twin;
  /** Files that the build cannot write; instead, it writes the script that creates them. Default: none. */
  readonly prepared?: readonly PreparedFile[];
}

/** Names in the step's declaration → names in the model's configuration; unlisted tensors keep their name. */
export interface TensorNames {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

/** An ONNX file in the version folders that is run if the model's backend is missing. */
export interface StandInModel {
  /** `backend`, `default_model_filename` and the other fields that a profile needs to use the stand-in. */
  readonly config: Partial<ModelConfig> & { readonly backend: string };
  /** Outputs as they are in the file, by their names in the step's declaration. */
  readonly outputs: Signature;
}

/** The model of a step. The compiler adds name, inputs, outputs, max_batch_size and the author's own fields. */
export interface StepModel {
  /** `backend`, `default_model_filename` and other fields set by the kind; the author's fields win if both set one. */
  readonly config: Partial<ModelConfig> & { readonly backend: string };
  /** Files in the version folder, with paths relative to it; with `versions`, these files are in every version's folder. */
  readonly files: Tree;
  /** Several versions that the author listed, numbered from 1. Default: version 1 with `files` and `twin`. */
  readonly versions?: ReadonlyMap<number, StepVersion>;
  /** The outputs of the configuration, if they differ from those that the step declares. */
  readonly outputs?: Signature;
  /** Python packages that the emitted code imports, in pip's notation: `numpy`, `tokenizers==0.23.2`. */
  readonly requirements?: readonly string[];
  readonly twin?: Twin;
  /** The author's functions that the model's errors refer to, each with its first line. */
  readonly functions?: readonly ManifestFunction[];
  /** npm packages that the files contain, with their licences. Default: none. */
  readonly packages?: readonly ManifestPackage[];
  /** npm packages with native addons that the server needs in the version folder. Default: none. */
  readonly nativePackages?: readonly NativePackage[];
  /** Files for version 1 that the build cannot write. Default: none. */
  readonly prepared?: readonly PreparedFile[];
  /** Names that the backend requires instead of the declared ones. Default: as declared. */
  readonly tensorNames?: TensorNames;
  /** The stand-in that profiles with `useStandIn: true` serve. Default: none. */
  readonly standIn?: StandInModel;
  /** Whether its code calls other models (BLS). Such models are never warmed up, because that would crash Triton. Default false. */
  readonly callsModels?: boolean;
  /** The models that it calls, if known; they come before it in the manifest's load order. Default: none. */
  readonly calls?: readonly string[];
}

/** Token ids that a step creates from texts. */
export interface MadeTokens {
  /** The output that contains the ids. */
  readonly output: string;
  /** The file that determines the ids, for use in messages. */
  readonly file: string;
  /** The largest id that a text can produce. */
  readonly largest: { readonly id: number; readonly token: string };
  readonly pad: { readonly id: number; readonly token: string };
  /** Maximum number of tokens per row. */
  readonly maxLength: number;
}

/** The token ids that a step's model accepts. */
export interface TakenTokens {
  /** The file that determines the accepted ids, for use in messages. */
  readonly file: string;
  /** The number of known tokens, by input. */
  readonly tokens: ReadonlyMap<string, number>;
  /** Maximum number of tokens per row; undefined if unknown. */
  readonly positions: number | undefined;
}

/** A step's role when an ensemble continues a text. */
export type TextPart =
  /** `text` → `input_ids`. */
  | { readonly kind: "tokens"; readonly chat: ManifestChat | undefined }
  /** `input_ids` → `sequences`, and possibly `text`. `perRequest`: its inputs for the settings of a request. */
  | {
      readonly kind: "generation";
      readonly settings: TextSettings;
      readonly perRequest: readonly string[];
    }
  /** `ids` → `text`. */
  | { readonly kind: "text" };

/**
 * Whether a model may refuse requests (code may; a tensor model hardly ever does): `held` if its code can delay
 * the error (`holdErrors` in the context), `immediate` if it cannot.
 */
export type Refusals = "none" | "held" | "immediate";

/** The allowed elements of an input. */
export type AcceptedValues = ManifestValues;

/**
 * A step whose options and files were read without faults. The object provides everything else that the compiler needs
 * to know about the step.
 */
export interface ReadStep {
  model(options: ModelOptions): StepModel;
  /** Whether its model is decoupled, so that it may send any number of responses to one row. Default false. */
  readonly streams?: boolean;
  /** The token ids that one of its versions creates. Default: none. */
  makesTokens?(version: number): MadeTokens | undefined;
  /** The token ids that one of its versions looks up in tables. Default: unknown. */
  takesTokens?(version: number): TakenTokens | undefined;
  /**
   * Its ONNX file, into which adjacent tensor math may be fused, or a clause that says why fusing is impossible.
   * Default: it has none.
   */
  takesMath?(): MathTaker | string | undefined;
  /**
   * Whether its Python may run in one model with that of adjacent steps, or a clause that says why not. If it may, its model has one
   * version, and `model.py` finds its files by its own path and answers each request as soon as it is called. Default: it may not.
   */
  readonly sharesPython?: true | string;
  /** Default: it plays no role in continuing a text. */
  readonly textPart?: TextPart | undefined;
  /** The accepted elements, by input; its model refuses all others. Default: it accepts any element except ids beyond `takesTokens`. */
  readonly accepts?: Readonly<Record<string, AcceptedValues>>;
}

/** Name of an option → its schema, such as a zod schema. */
export type OptionForms = Readonly<Record<string, OptionForm>>;
export interface OptionForm {
  safeParse(value: unknown): {
    readonly error?: { readonly issues: readonly FormIssue[] } | undefined;
  };
}

/** A fault in a value, as zod reports it. */
export interface FormIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Unknown names in the object at `path`. */
  readonly keys?: readonly string[];
  /** The reason why the value has none of several forms, for each form. */
  readonly errors?: readonly (readonly FormIssue[])[];
}

/** An invalid value in a step's options. */
export interface OptionFault {
  /** The values for a diagnostic's text: the step and its kind, the option, the requirement, and the actual value. */
  readonly with: Readonly<Record<"got" | "kind" | "option" | "reason" | "step", string>>;
  /** The position of the value. */
  readonly labels: readonly Label[];
}

/**
 * A kind of step, which defines how the step's options and files are read, and which model the step becomes. Shared
 * code never checks a kind's name.
 */
export interface StepKind {
  readonly kind: string;
  /**
   * Its options in addition to Triton's own fields: their names, or name → schema. Other names, and values that do not match, are then
   * reported, and the step is not read. Default: any.
   */
  readonly options?: readonly string[] | OptionForms;
  /** The finding for an option that does not match its schema. Default: `model/bad-field`. */
  readonly invalidOption?: (fault: OptionFault) => Diagnostic;
  /** An ensemble starts models that may refuse requests after the other models that start together with them. Default "none". */
  readonly refusals?: Refusals;
  /** Whether its emitted code answers each request exactly once, so that its model must not be decoupled. Default: no. */
  readonly answersOnce?: true;
  /** Whether the kind itself names the first dim of a step's tensors "batch", so that its author cannot. Default: no. */
  isAlwaysBatched?(step: StepDefinition): boolean;
  /** Names of its options that profiles may override, in addition to Triton's own fields. Default: none. */
  readonly profileOptions?: readonly string[];
  /** Reads the step's options and files (once), and checks them against the declaration. */
  read(step: StepDefinition, context: StepContext): Found<ReadStep>;
}

/** A step without faults, and what its kind knows about it. */
export interface ProgramStep {
  readonly step: StepDefinition;
  readonly read: ReadStep;
}

/** The steps of a program that were read, by name. */
export type ReadSteps = ReadonlyMap<string, ProgramStep>;
