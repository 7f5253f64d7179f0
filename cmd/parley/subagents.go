package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
)

// SubagentSettings is how subagents work where a dialect does not say it; docs/subagents.md.
type SubagentSettings struct {
	Concurrency  int                  `json:"concurrency,omitzero"` // at the same time; default 4
	Depth        int                  `json:"depth,omitzero"`       // levels; default 1
	Isolation    bool                 `json:"isolation,omitzero"`   // tasks may be isolated
	Branches     bool                 `json:"branches,omitzero"`    // isolated work comes back as branches
	Verification VerificationSettings `json:"verification,omitzero"`
}

// VerificationSettings is how isolated work is verified.
type VerificationSettings struct {
	DefaultProfile string                    `json:"default_profile,omitzero"`
	Required       bool                      `json:"required,omitzero"` // isolated work is verified without being asked for
	MaxRetries     int                       `json:"max_retries,omitzero"`
	Profiles       map[string]jsontext.Value `json:"profiles,omitzero"`
}

// setSubagents switches subagents on, that many at the same time, or off with 0.
func setSubagents(s *Settings, text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q: expected the number of subagents that may run at the same time", text)
	}
	if n == 0 {
		s.Subagents = nil
		return nil
	}
	if s.Subagents == nil {
		s.Subagents = &SubagentSettings{}
	}
	s.Subagents.Concurrency = n
	return nil
}

func (s *SubagentSettings) check() error {
	if s != nil && (s.Concurrency < 0 || s.Depth < 0 || s.Verification.MaxRetries < 0) {
		return invalid("subagents", errors.New("expected numbers above 0"))
	}
	return nil
}

// line is how many may work at the same time; "" without any.
func (s *SubagentSettings) line() string {
	if s == nil {
		return ""
	}
	return strconv.Itoa(s.tasks().Concurrency)
}

// tasks is the settings as the engine has them; nil: there are no subagents.
func (s *SubagentSettings) tasks() *engine.TaskSettings {
	if s == nil {
		return nil
	}
	const concurrency, depth = 4, 1
	t := &engine.TaskSettings{
		Concurrency: s.Concurrency, Depth: s.Depth, Spawns: []string{"*"}, Isolation: s.Isolation, Branches: s.Branches, BranchPrefix: "task/",
		Verify: engine.VerifySettings{
			Enabled: s.Verification.Required, RequireIsolated: s.Verification.Required, DefaultProfile: s.Verification.DefaultProfile,
			Retries: s.Verification.MaxRetries, Profiles: s.Verification.Profiles,
		},
	}
	if t.Concurrency == 0 {
		t.Concurrency = concurrency
	}
	if t.Depth == 0 {
		t.Depth = depth
	}
	return t
}
