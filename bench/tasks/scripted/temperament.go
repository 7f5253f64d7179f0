package scripted

import (
	"parley.dev/parley/bench/tasks/chat"
	"parley.dev/parley/internal/model/modeltest"
)

// A Temperament is how a kind of model works.
type Temperament struct {
	Name    string
	Wire    modeltest.Wire
	ModelID string

	looks   bool // reads a file before it changes it
	guesses bool // writes the text that it changes as it remembers it
	patches bool // changes files by patches
	reads   bool // reads descriptions of tools
	stuck   int  // how often it repeats a call that fails
	forms   forms
}

// forms are how a temperament writes calls.
type forms interface {
	run(s *session, command string) chat.Call
	read(s *session, path string, from int) chat.Call // from line from; 0: the beginning
	search(s *session, pattern, path string) chat.Call
	find(s *session, name string) chat.Call
	edit(s *session, path, old, new string, all bool) chat.Call
	write(s *session, path, text string) chat.Call
}

// Temperaments returns those that there are.
func Temperaments() []*Temperament {
	return []*Temperament{
		{
			Name: "careful", Wire: modeltest.Anthropic, ModelID: "claude-sonnet-4-5",
			looks: true, reads: true, stuck: 1, forms: careful{},
		},
		{
			Name: "sloppy", Wire: modeltest.OpenAIChat, ModelID: "qwen3-coder",
			guesses: true, stuck: 12, forms: sloppy{},
		},
		{
			Name: "gpt-like", Wire: modeltest.OpenAIResponses, ModelID: "gpt-5",
			looks: true, guesses: true, patches: true, stuck: 1, forms: gptLike{},
		},
	}
}
