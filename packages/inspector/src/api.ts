/** The server's answers to the page: plain data, the same types on both sides. */

/** The path under which the page and its API are served. */
export const inspectorPath = "/inspector";

/** A tensor of a contract. `-1` is an unknown size. */
export interface TensorView {
  readonly name: string;
  readonly dtype: string;
  readonly dims: readonly (number | string)[];
  readonly optional?: true;
  /** The allowed strings, if the contract lists them. */
  readonly choices?: readonly string[];
  /** The lines of the label file of an output: the names of its classes. */
  readonly labels?: readonly string[];
  /** Present if each element is a JSON text: the schema of its content, as far as it is known. */
  readonly json?: JsonSchema;
}

/** The part of JSON Schema in which builds describe types. A schema without members allows every value. */
export interface JsonSchema {
  readonly type?: "string" | "number" | "boolean" | "null" | "array" | "object";
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  /** `#/$defs/<name>` */
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** A step of an ensemble. The maps go from the model's tensor to the ensemble's. */
export interface StepView {
  readonly model: string;
  readonly version?: number;
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

/** A position in a source file of the project. */
export interface PlaceView {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** A finding of `pipeline check`. */
export interface FindingView {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly help?: string;
  readonly place?: PlaceView;
}

export type ModelState = "READY" | "UNAVAILABLE" | "LOADING" | "UNLOADING" | "UNKNOWN";

export interface ModelView {
  readonly name: string;
  /** Plain text: the comment above the author's declaration, or the docstring of a `model.py`. */
  readonly description?: string;
  /** Step kind of the build, or the backend. */
  readonly kind: string;
  readonly state: ModelState;
  /** The reason why the model is not ready, or not current. */
  readonly reason?: string;
  readonly help?: string;
  readonly versions: readonly string[];
  /** 0 for a model without batches; undefined if it is unknown. */
  readonly maxBatchSize?: number;
  readonly batching?: string;
  readonly instances: readonly string[];
  readonly streams: boolean;
  readonly sequences: boolean;
  /** Whether the ids of its sequences are texts, and not numbers. Default: no. */
  readonly textSequenceIds?: true;
  readonly inputs: readonly TensorView[];
  readonly outputs: readonly TensorView[];
  /** Only for ensembles. */
  readonly steps?: readonly StepView[];
  /** Models that its code calls. */
  readonly calls: readonly string[];
  /** Called model → the outputs that the code requests, if it names all of them. */
  readonly requests?: Readonly<Record<string, readonly string[]>>;
  /** Whether no other model uses it. */
  readonly entry: boolean;
  readonly source?: PlaceView;
  /** The models whose math is part of this model's file. */
  readonly fused: readonly string[];
  /** For a model with tensor math: how often its file contains each ONNX operator. */
  readonly operators?: Readonly<Record<string, number>>;
  readonly findings: readonly FindingView[];
  /** The fields of its configuration by path, without names, tensors and steps. */
  readonly fields: Readonly<Record<string, string>>;
  /** Changes whenever the files from which its versions were loaded change; undefined if they are unknown. */
  readonly files?: string;
}

export interface Overview {
  /** The repository as the user names it, or the server's address. */
  readonly repository: string;
  readonly server: ServerView;
  /** The server's address; undefined for the page's own server. */
  readonly url?: string;
  /** One sentence for each thing that cannot be shown. Default: everything is shown. */
  readonly missing?: readonly string[];
  /** Whether there are live statistics. */
  readonly statistics: boolean;
  /** Whether the tensors inside a request can be recorded. */
  readonly tensors: boolean;
  /**
   * Whether a request can be sent step by step, which shows its tensors even though the server does not record them.
   */
  readonly bySteps?: boolean;
  /** The server's gRPC address; undefined if it is unknown. */
  readonly grpc?: string;
  /** Address of another server that requests can be sent to, for a comparison. */
  readonly other?: string;
  /** Whether the page can open places in an editor. */
  readonly editor?: boolean;
  readonly models: readonly ModelView[];
  /** Findings that do not belong to a model. */
  readonly findings: readonly FindingView[];
  /** Models whose build has a typed client. */
  readonly clients: readonly string[];
}

/** The metadata of a server. */
export interface ServerView {
  readonly name: string;
  readonly version: string;
  readonly extensions: readonly string[];
}

/** Changes while the page is open. */
export interface Changes {
  /** Changes whenever the overview does. */
  readonly stamp: string;
  /** The terminal's output for the last build, if it failed. */
  readonly failure?: string;
}

/** Part of a file, with the number of its first line. */
export interface TextView {
  readonly path: string;
  readonly firstLine: number;
  /** The line to mark. */
  readonly marked?: number;
  readonly text: string;
  readonly cut: boolean;
}

export interface OperatorView {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** The first operators of an ONNX file, in the order of the graph. */
export interface OnnxView {
  readonly path: string;
  readonly opset: number;
  readonly total: number;
  readonly counts: readonly (readonly [operator: string, count: number])[];
  readonly operators: readonly OperatorView[];
}

export interface ModelDetail {
  /** undefined if it is unknown. */
  readonly config?: TextView;
  /** The lines of the fields in `config`, by path; undefined if the text is not a file. */
  readonly lines?: Readonly<Record<string, number>>;
  readonly source?: TextView;
  readonly python?: TextView;
  readonly onnx?: OnnxView;
}

/** A request that the build or the configuration contains: the value of each input, as JSON text. */
export interface Example {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** An element in JSON. Large integers and non-finite numbers are strings. */
export type Element = number | string | boolean;

/** The content of a tensor, cut to what a page can show. */
export interface Content {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** The size of its elements. */
  readonly bytes: number;
  /** The first elements. */
  readonly elements: readonly Element[];
  /** The reason why there are no elements. */
  readonly missing?: string;
  /** Only for numbers. */
  readonly figures?: Figures;
  /** The type and base64 of a BYTES element that is a picture or a sound. */
  readonly media?: { readonly type: string; readonly base64: string };
  /** Only for numbers that look like a picture. */
  readonly picture?: Picture;
  /** The elements are truncated UTF-8. */
  readonly cut?: true;
}

/** The numbers of a tensor as pictures. */
export interface Picture {
  /** Pixels of the tensor in each line. */
  readonly width: number;
  /** Lines of the tensor. */
  readonly height: number;
  readonly channels: 1 | 3;
  readonly layout: PictureLayout;
  readonly scale: PictureScale;
  /** Every n-th pixel of every n-th line is in the PNGs. */
  readonly step: number;
  /** The first pictures as PNG, in base64. */
  readonly rows: readonly string[];
  /** The number of pictures in the tensor. */
  readonly total: number;
}

export type PictureLayout = "channels first" | "channels last" | "no channels";

/** The values that are shown as black and as white. `range`: the tensor's lowest and highest. */
export type PictureScale =
  | { readonly kind: "fixed" | "range"; readonly black: number; readonly white: number }
  | { readonly kind: "imagenet" };

export interface Figures {
  /** Number of elements that were read. */
  readonly counted: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly deviation: number;
  readonly zeros: number;
  readonly nan: number;
  readonly infinite: number;
  /** Counts of elements in equal intervals between min and max. */
  readonly histogram: readonly number[];
}

/** A part of a request's time, in microseconds since the request began. */
export interface Execution {
  readonly start: number;
  readonly inputEnd: number;
  readonly outputStart: number;
  readonly end: number;
  /** Number of requests that ran together, including this one. */
  readonly together: number;
}

/** One of the calls that a request consists of: of the ensemble itself, or of a model. */
export interface Call<T = Content> {
  readonly id: number;
  /** 0 for the first. */
  readonly parent: number;
  readonly model: string;
  readonly version: string;
  readonly start: number;
  readonly end: number;
  readonly executions: readonly Execution[];
  readonly inputs: readonly T[];
  /** One list for each response. */
  readonly responses: readonly (readonly T[])[];
  /** When each of the first 200 responses came, in microseconds since the request began. */
  readonly responseTimes: readonly number[];
  /** Responses that are not recorded because there are too many. */
  readonly left: number;
  readonly failed: boolean;
  /** The response cache answered. */
  readonly cached?: true;
  /** The first request to its model since the model was loaded. */
  readonly first?: true;
  /** The first 200 errors. A stream can continue after an error. undefined if there are none. */
  readonly errors?: readonly CallError[];
}

/** An error among the responses of a call. */
export interface CallError {
  /** The number of responses before it. */
  readonly after: number;
  /** Microseconds since the request began. */
  readonly at: number;
}

/** Everything that happened during one request. */
export interface Recording<T = Content> {
  readonly calls: readonly Call<T>[];
  /** Number of calls that are not recorded because there are too many. */
  readonly left: number;
}

/** One line of the answer to a page's request. */
export type RunEvent =
  /** The inputs that are pictures, unless they are files. */
  | { readonly kind: "request"; readonly inputs: readonly Content[] }
  | { readonly kind: "response"; readonly at: number; readonly outputs: readonly Content[] }
  | { readonly kind: "error"; readonly at: number; readonly message: string; readonly help?: string }
  /** Only in the page: the user stopped the request. */
  | { readonly kind: "stopped"; readonly at: number }
  | { readonly kind: "recording"; readonly recording: Recording }
  | { readonly kind: "end"; readonly at: number };

/** The first line of the body of a page's request; a KServe v2 body follows. */
export interface RunHead {
  readonly model: string;
  readonly headerLength: number;
  /** Whether to record the tensors inside the request. */
  readonly record: boolean;
  /** Whether to send the request to the other server, step by step. */
  readonly other: boolean;
}

/** Counters of a model since it was loaded; durations in milliseconds. */
export interface Activity {
  readonly model: string;
  readonly version: string;
  readonly success: number;
  readonly failed: number;
  /** Number of requests that wait for an execution; undefined if unknown. */
  readonly pending?: number;
  readonly rows: number;
  readonly executions: number;
  readonly took: number;
  readonly queue: number;
  readonly compute: number;
  /** Requests that the response cache answered, and those that it could not answer. */
  readonly hits: number;
  readonly misses: number;
  readonly batches: readonly (readonly [size: number, executions: number])[];
  /** p50, p90 and p99 of the last minute, empty without a request; undefined if only means are known. */
  readonly percentiles?: readonly number[];
}

/** A process that runs one instance of a model. */
export interface ProcessView {
  readonly model: string;
  readonly version: string;
  readonly instance: string;
  readonly runs: "Python" | "Node";
  /** "broken": the last attempt to restart failed; another one follows. "ending": its model is being unloaded. */
  readonly state: "idle" | "busy" | "restarting" | "broken" | "ending";
  /** undefined while no process is running. */
  readonly pid?: number;
  /** How often it was replaced after it had ended by itself or was killed. */
  readonly restarts: number;
  /** Bytes of resident memory; undefined if unknown. */
  readonly memory?: number;
  /** Milliseconds of processor time since its start; undefined if unknown. */
  readonly cpu?: number;
}

export interface Live {
  /** When the counters were read, in milliseconds. */
  readonly at: number;
  /** Statistics about the machine and the process, such as "server memory 210 MB". */
  readonly facts: readonly string[];
  readonly models: readonly Activity[];
  /** The processes that run models; undefined if the server's API does not provide them. */
  readonly processes?: readonly ProcessView[];
}
