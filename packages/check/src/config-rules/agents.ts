import { modelRule, type Rule } from "../rule.ts";

const noAgents = modelRule(
  {
    code: "config/no-agents",
    triton: ["159"],
    reason:
      "Triton asks the last agent for the model's location without checking that there is an agent, which crashes the server.",
    message: "`{model}` has `model_repository_agents` without agents, which crashes the server",
    help: "remove `model_repository_agents`",
  },
  ({ written, at }, report) => {
    const agents = written.model_repository_agents;
    if (agents && !agents.agents?.length) report(at(["model_repository_agents"], "no agents"));
  },
);

const nameless = modelRule(
  {
    code: "config/nameless-agent",
    triton: ["159"],
    reason: "Triton finds an agent's library by the agent's name.",
    words: "unable to find 'libtritonrepoagent_.so' for repo agent ''",
    message: "a repository agent of `{model}` has no name",
    help: "write its `name`, or remove the agent",
  },
  ({ written, options, at }, report) => {
    // If the server's agents are known, a separate rule checks the name against them.
    if (options.installed) return;
    for (const [i, { name = "" }] of (written.model_repository_agents?.agents ?? []).entries())
      if (name === "") report(at(["model_repository_agents", "agents", i], "no `name`"));
  },
);

export const agentRules: readonly Rule[] = [noAgents, nameless];
