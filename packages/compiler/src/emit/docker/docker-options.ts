/** How the container of a build is made. */
export interface DockerOptions {
  /** An image with Triton and every backend the build needs. Default: NVIDIA's of the target release. */
  readonly baseImage?: string | undefined;
}
