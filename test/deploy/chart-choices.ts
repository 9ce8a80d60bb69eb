/** Values that together render all of the chart, for a project with every platform, and the objects that each adds. */
export const chartChoices = (image: {
  readonly repository: string;
  readonly digest: string;
}): Readonly<Record<string, readonly [values: object, objects: readonly string[]]>> => {
  const off = { image, kserve: { enabled: false } };
  const caches = [
    { path: "/var/cache/tensorrt", claim: "engines" },
    { path: "/var/cache/timing", claim: "" },
  ];
  return {
    "by default": [off, ["Deployment/embed", "PodDisruptionBudget/embed", "Service/embed-servers"]],
    "a profile": [{ ...off, server: { profile: "gpu" } }, ["Deployment/embed"]],
    "one server": [{ ...off, replicas: 1 }, ["Deployment/embed", "PodDisruptionBudget/embed"]],
    hpa: [
      { ...off, autoscaling: { kind: "hpa", minReplicas: 1 } },
      ["HorizontalPodAutoscaler/embed", "PodDisruptionBudget/embed"],
    ],
    keda: [{ ...off, autoscaling: { kind: "keda", prometheus: "http://p:9090" } }, ["ScaledObject/embed"]],
    monitored: [
      {
        ...off,
        monitoring: { scrape: "pod", rules: true, dashboards: true, labels: { release: "prometheus" } },
        tracing: { url: "http://c:4318/v1/traces" },
        networkPolicy: { egress: [{}] },
      },
      ["PodMonitor/embed", "PrometheusRule/embed", "ConfigMap/embed-dashboard-1be2bd40"],
    ],
    "a service monitor": [{ ...off, monitoring: { scrape: "service" } }, ["ServiceMonitor/embed"]],
    gateway: [{ ...off, gateway: { parents: [{ name: "public" }] } }, ["HTTPRoute/embed"]],
    caches: [{ ...off, volumes: { caches } }, ["Deployment/embed"]],
    kserve: [{ image, volumes: { caches } }, ["ServingRuntime/embed", "InferenceService/embed"]],
  };
};
