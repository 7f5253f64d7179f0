// Package backends is the command that lists and tries the agents that can run turns.
package backends
