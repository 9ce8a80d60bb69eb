/** The Triton in PyPI's nvidia-pytriton 0.7.0: Linux x86-64, glibc 2.35 or newer, no GPU needed. */
export const wheelRelease = { release: "24.10", version: "2.51.0", minimumGlibc: [2, 35] } as const;

/**
 * The requirements of Triton's virtual environment by Python version. Versions of onnxruntime and tokenizers equal
 * those of the local runtime where a wheel exists, and numpy and tokenizers are those of a build's container. Python
 * 3.13 is missing because Triton's stub needs numpy 1, which has no wheel for it.
 */
export const wheelRequirements: Readonly<Record<string, readonly string[]>> = {
  "3.12": requirements("1.30.0"),
  "3.11": requirements("1.30.0"),
  "3.10": requirements("1.23.2"),
};

function requirements(onnxruntime: string): readonly string[] {
  return [
    "nvidia-pytriton==0.7.0",
    "numpy==1.26.4",
    `onnxruntime==${onnxruntime}`,
    "tokenizers==0.23.2",
    "tritonclient[http,grpc]==2.73.0",
  ];
}
