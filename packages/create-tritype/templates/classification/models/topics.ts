/** What the classifier tells apart, in the order of its scores. */
export const topics = ["account", "billing", "delivery", "returns"] as const;
