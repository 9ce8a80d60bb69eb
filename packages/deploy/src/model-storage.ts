/** Where the servers find the models of a build. */
export type ModelStorage =
  /** In the image. */
  | { readonly kind: "image" }
  /** An object store that Triton reads itself. */
  | {
      readonly kind: "bucket";
      readonly service: "S3" | "Google Cloud Storage" | "Azure";
      readonly url: string;
    }
  /** A folder of a PersistentVolumeClaim; "" is its root. */
  | { readonly kind: "claim"; readonly claim: string; readonly folder: string }
  /** An image that contains only models, without a tag; KServe mounts it. */
  | { readonly kind: "oci"; readonly image: string };

/** The error for a text that `readModelStorage` does not read, without its subject: "must be …". */
export const modelStorageForm = (given: string): string =>
  given.includes("@")
    ? "must not contain a user name or password: servers and upload.sh read them from their environment"
    : /^s3:\/\/(?:https?:|[^/]*:)/.test(given)
      ? 'must be "s3://https://host:port/bucket/folder": the address of an S3 server of your own needs its protocol and its port, such as 443'
      : 'must be "image", "s3://bucket/folder", "s3://https://host:port/bucket/folder", "gs://bucket/folder", "as://account/container/folder", "pvc://claim/folder" or "oci://registry.example/image"';

const services = { s3: "S3", gs: "Google Cloud Storage", as: "Azure" } as const;

/** Reads `deploy.models`; undefined if it has none of the forms. A self-hosted S3 server: `s3://https://host:port/bucket`. */
export const readModelStorage = (text: string): ModelStorage | undefined => {
  if (text === "image") return { kind: "image" };
  if (text.split("/").includes("..")) return undefined;
  const bucket = /^(s3|gs|as):\/\/((?:https?:\/\/[\w.-]+:\d+\/)?[\w.-]+(?:\/[\w.-]+)*)$/.exec(text);
  const [, scheme, rest = ""] = bucket ?? [];
  if (scheme === "as" && !rest.includes("/")) return undefined;
  if (scheme === "s3" || ((scheme === "gs" || scheme === "as") && !rest.startsWith("http")))
    return { kind: "bucket", service: services[scheme], url: text };
  const [, claim, folder = ""] =
    /^pvc:\/\/([a-z\d][a-z\d.-]*)(?:\/([\w.-]+(?:\/[\w.-]+)*))?$/.exec(text) ?? [];
  if (claim !== undefined) return { kind: "claim", claim, folder };
  const [, image] = /^oci:\/\/([a-z\d][a-z\d._-]*(?::\d+)?(?:\/[a-z\d._-]+)+)$/.exec(text) ?? [];
  return image === undefined ? undefined : { kind: "oci", image };
};

/** The name of a build in its storage. A name is never reused for other files. */
export const buildName = (hash: string): string => hash.slice(0, 12);

/** The folder of a build in a claim. */
export const claimFolder = ({ folder }: { readonly folder: string }, hash: string): string =>
  folder === "" ? buildName(hash) : `${folder}/${buildName(hash)}`;
