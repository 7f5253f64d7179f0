// Package backend is what the engine needs of agents that are other programs and run the turns of a session in place of its
// own loop: Codex, agents of the Agent Client Protocol, pi. A driver for each protocol turns what such an agent reports into
// updates; the engine records them, decides about what the agent asks for, and bounds what it may use. The package also has
// what the drivers share: the process of the agent and its lines.
package backend
