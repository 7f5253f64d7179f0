// Package plain is the terminal console without a screen: one fact a line, each with a tag, and input that is read when it is
// needed. It serves pipes, logs, and readers that speak. Nothing that models, tools and files write can control a terminal.
package plain
