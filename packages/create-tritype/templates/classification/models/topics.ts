/** The classifier's topics, in the order of its scores. */
export const topics = ["account", "billing", "delivery", "returns"] as const;
