package config

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
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

// The defaults of SubagentSettings.
const (
	DefaultConcurrency = 4
	DefaultDepth       = 1
)

// line returns how many may work at the same time; "" without any.
func (s *SubagentSettings) line() string {
	if s == nil {
		return ""
	}
	return strconv.Itoa(cmp.Or(s.Concurrency, DefaultConcurrency))
}
