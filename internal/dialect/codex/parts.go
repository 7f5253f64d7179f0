package codex

import (
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/skill"
)

// Parts is what clients see of the program around sessions. What is nil is not there.
type Parts struct {
	Keys   Keys
	Skills *skill.Choice // what of the skills is used
	Places func(dir string) skill.Places
	// Servers returns the tool servers of the configuration for a folder, sorted by name.
	Servers   func(dir string) []engine.Server
	Pool      ServerPool
	WebSearch bool     // models can search the web
	UserFile  string   // what the user configures the program in
	States    []string // the state folders of the user, also those that other processes use
}

// Keys stores the API key of the provider that accounts of this protocol are of.
type Keys interface {
	// Stored reports whether there is one.
	Stored() bool
	// Set stores a key. The error does not show it.
	Set(key string) error
	// Delete forgets it. It is no error if there is none.
	Delete() error
}
