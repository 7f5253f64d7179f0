// Package agent reads descriptions of subagents: Markdown files whose head says what the
// agent is for and what it may use, and whose body is what it is told first. Some are in
// the program; those of the project and of the user count over them. Who is spawned, and
// when, is not its business.
package agent
