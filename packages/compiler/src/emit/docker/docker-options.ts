/** Options for building the container of a build. */
export interface DockerOptions {
  /** An image with Triton and every backend that the build needs. Default: NVIDIA's image for the target release. */
  readonly baseImage?: string | undefined;
  /** Digests of NVIDIA's images for the target release. Default: none; only tags are used. */
  readonly digests?: ImageDigests | undefined;
}

/** Digests as registries print them, `sha256:` and 64 hexadecimal digits. */
export interface ImageDigests {
  /** Digest of `tritonserver:<release>-py3`. */
  readonly image?: string | undefined;
  /** Digest of `tritonserver:<release>-py3-min`. */
  readonly minImage?: string | undefined;
}
