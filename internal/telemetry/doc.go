// Package telemetry exports what happens in sessions as OpenTelemetry traces and metrics, by the semantic conventions for
// generative AI. It is a follower of records: the engine does not wait for it, and does not know it. Of prompts, answers and
// tool calls it exports names, times and numbers; their content only if that is configured.
package telemetry
