// Package definition reads definitions of subagents: Markdown files whose head says what the
// agent is for and which tools it may use, and whose body is its system prompt. Some are in
// the program; those of the project and of the user override them. It starts none: package
// task does.
package definition
