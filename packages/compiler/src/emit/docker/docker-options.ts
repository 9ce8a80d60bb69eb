/** How the container of a build is made. */
export interface DockerOptions {
  /** An image with Triton and every backend the build needs. Default: NVIDIA's of the target release. */
  readonly baseImage?: string | undefined;
  /** Digests of NVIDIA's images of the target release. Default: their tags alone. */
  readonly digests?: ImageDigests | undefined;
}

/** Digests as registries print them, `sha256:` and 64 hexadecimal digits. */
export interface ImageDigests {
  /** Of `tritonserver:<release>-py3`. */
  readonly image?: string | undefined;
  /** Of `tritonserver:<release>-py3-min`. */
  readonly minImage?: string | undefined;
}
