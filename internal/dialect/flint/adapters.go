package flint

import (
	"slices"
	"strconv"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// This file contains what each kind of provider can be set to: options are data, and an effect
// on a turn. A new one is a row.

// A selector is one option of an adapter.
type selector struct {
	id, name, description, group string
	choices                      []choice
	value                        string                // the default
	reasoning                    bool                  // only for models that reason
	agent                        *engine.BackendOption // of the agent of a back end; nil: it is ours
}

// A choice is one value of a selector.
type choice struct {
	id, name string
	apply    func(*engine.Tuning)
}

// An adapter is the options of the providers that are alike.
type adapter struct {
	name      string
	selectors []selector
}

// adapters is the options by provider; all others have those of generic.
var adapters = lazy.Value[map[string]*adapter]{New: func() map[string]*adapter {
	return map[string]*adapter{
		"anthropic": {"anthropic", []selector{
			effort("off", "low", "medium", "high"),
			{
				id: "max_thinking_tokens", name: "Thinking budget", group: "model", value: "16000", reasoning: true,
				description: "Most tokens to think with; the effort picks a share of it",
				choices:     []choice{budget(8000), budget(16000), budget(32000)},
			},
		}},
		"openai": {"openai", []selector{
			effort("minimal", "low", "medium", "high"),
			{
				id: "reasoning_summary", name: "Reasoning summary", group: "model", value: "auto", reasoning: true,
				choices: []choice{summary("auto", "Auto"), summary("concise", "Concise"), summary("detailed", "Detailed"), summary("none", "None")},
			},
			{
				id: "personality", name: "Personality", group: "style", value: "default",
				choices: []choice{
					{id: "default", name: "Default"},
					manner("pragmatic", "Pragmatic", "Be pragmatic: say and do only what moves the task on."),
					manner("friendly", "Friendly", "Be friendly: explain what you do and why, and encourage."),
				},
			},
			{
				id: "collaboration_mode", name: "Collaboration mode", group: "style", value: "default",
				choices: []choice{
					{id: "default", name: "Default"},
					looking("plan", "Plan", "Plan mode: look, then write a plan and ask for its approval. Nothing may be changed in this mode."),
					looking("review", "Review", "Review mode: review the code and report what you find, the most serious first. Nothing may be changed in this mode."),
				},
			},
		}},
		"offline": {"offline", []selector{effort("off", "low", "medium", "high").quiet()}},
		"local": {"local", []selector{
			{
				id: "temperature", name: "Temperature", group: "sampling", value: "0.3",
				choices: []choice{temperature("0.0"), temperature("0.3"), temperature("0.7"), temperature("1.0")},
			},
			{
				id: "context_length", name: "Context length", group: "model", value: "32768",
				description: "Tokens of context to work with; it must not exceed what the server was started with",
				choices:     []choice{window(4096), window(8192), window(16384), window(32768)},
			},
		}},
	}
}}

// quiet returns a selector that every model of its provider takes.
func (s selector) quiet() selector {
	s.reasoning = false
	return s
}

// generic is the options of a provider without a row.
var generic = &adapter{"generic", []selector{effort("off", "low", "medium", "high")}}

// adapterOf returns the adapter of a model: of its provider, or the local one for a configured
// server that serves a model the catalogue does not know.
func adapterOf(provider string, known bool) *adapter {
	if a, ok := adapters.Get()[provider]; ok {
		return a
	}
	if provider == "ollama" || !known {
		return adapters.Get()["local"]
	}
	return generic
}

func effort(levels ...string) selector {
	names := map[string]string{"off": "Off", "minimal": "Minimal", "low": "Low", "medium": "Medium", "high": "High"}
	s := selector{id: "reasoning_effort", name: "Reasoning effort", group: "model", value: "medium", reasoning: true}
	for _, level := range levels {
		s.choices = append(s.choices, choice{level, names[level], func(t *engine.Tuning) { t.Thinking = model.Thinking(level) }})
	}
	return s
}

func budget(tokens int) choice {
	id := strconv.Itoa(tokens)
	return choice{id, id, func(t *engine.Tuning) { t.Model.ThinkingBudget = tokens }}
}

func summary(id, name string) choice {
	return choice{id, name, func(t *engine.Tuning) { t.Model.Summary = id }}
}

func temperature(id string) choice {
	return choice{id, id, func(t *engine.Tuning) {
		value, _ := strconv.ParseFloat(id, 64) // a constant of the table
		t.Model.Temperature = &value
	}}
}

func window(tokens int) choice {
	id := strconv.Itoa(tokens)
	return choice{id, id, func(t *engine.Tuning) { t.Window = tokens }}
}

func manner(id, name, text string) choice {
	return choice{id, name, func(t *engine.Tuning) { t.Instructions += text + "\n" }}
}

func looking(id, name, text string) choice {
	return choice{id, name, func(t *engine.Tuning) {
		t.ReadOnly = true
		t.Instructions += text + "\n"
	}}
}

func (a *adapter) find(id string) (selector, bool) {
	i := slices.IndexFunc(a.selectors, func(s selector) bool { return s.id == id })
	if i < 0 {
		return selector{}, false
	}
	return a.selectors[i], true
}

func (s selector) find(value string) (choice, bool) {
	i := slices.IndexFunc(s.choices, func(c choice) bool { return c.id == value })
	if i < 0 {
		return choice{}, false
	}
	return s.choices[i], true
}
