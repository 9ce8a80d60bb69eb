/**
 * Fields that releases after 24.01 brought, with the first container that knows them; to an older one a config with such a
 * field is a parse error. Source: `model_config.proto` on the release branches of Triton's `common` repository.
 */
export const newFields: ReadonlyMap<string, string> = new Map([
  ["ModelInput.is_non_linear_format_io", "24.08"],
  ["ModelOutput.is_non_linear_format_io", "24.08"],
  ["ModelConfig.model_metrics", "24.11"],
  ["ModelEnsembling.max_inflight_requests", "25.11"],
]);
