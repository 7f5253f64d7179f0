package verify

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Plan is how work is verified.
type Plan struct {
	Profile   string // "": none was named
	Commands  []Command
	Retries   int // repairs that may be tried
	OnFailure OnFailure
}

// A Command is one check: shell text that has to end with 0.
type Command struct {
	Name     string
	Line     string
	Limit    time.Duration // 0: DefaultLimit
	Optional bool          // its failure does not count
}

// DefaultLimit is how long a command may take that has no limit of its own.
const DefaultLimit = 10 * time.Minute

// OnFailure is how work that fails its verification is handled.
type OnFailure string

// The ways.
const (
	ReturnFailure OnFailure = "return_failure" // it is reported, with the changes as they are
	RetryOnce     OnFailure = "retry_once"     // a repair is tried first
	DiscardPatch  OnFailure = "discard_patch"  // it is reported, without the changes
)

// Settings is what holds where a request does not say it.
type Settings struct {
	Enabled         bool
	DefaultProfile  string
	RequireIsolated bool                      // isolated work is verified without being asked for
	Retries         int                       // where a profile has none
	ContextLines    int                       // of a command's output that a repair gets; 0: 200
	Profiles        map[string]jsontext.Value // a request each
}

// A request is verification as it is written in a call or a profile.
type request struct {
	Profile  string `json:"profile"`
	Mode     string `json:"mode"`
	Commands *[]struct {
		Name      string  `json:"name"`
		Command   string  `json:"command"`
		TimeoutMS float64 `json:"timeoutMs"`
		Optional  bool    `json:"optional"`
	} `json:"commands"`
	LSPDiagnostics *bool     `json:"lspDiagnostics"`
	MaxRetries     *int      `json:"maxRetries"`
	OnFailure      OnFailure `json:"onFailure"`
}

// commands returns the commands as a plan has them.
func (r *request) commands() []Command {
	const longest = float64(24 * time.Hour / time.Millisecond)
	var commands []Command
	for _, c := range *r.Commands {
		limit := time.Duration(min(c.TimeoutMS, longest) * float64(time.Millisecond))
		commands = append(commands, Command{Name: c.Name, Line: c.Command, Limit: limit, Optional: c.Optional})
	}
	return commands
}

// A refusal is a sentence for models and clients, in the words that they know.
type refusal string

func (r refusal) Error() string { return string(r) }

// The refusals.
const (
	errNotIsolated = refusal("Verification requires isolated task execution. Pass isolated: true or disable verify.")
	errNothing     = refusal("Verification requested but no verification profile or commands were provided.")
	errLanguage    = refusal("LSP-based task verification is not implemented yet. Use command checks for now.")
	errNoCommands  = refusal("Verification requires at least one command. Provide verify.commands or configure task.verification.profiles.")
)

// Resolve reads what was asked for: false, true, a profile's name, or an object; nil is
// nothing. The plan is nil when nothing is to be verified. An error is for the model.
func (s Settings) Resolve(asked jsontext.Value, isolated bool) (*Plan, error) {
	var r request
	switch asked.Kind() {
	case 0, 'n':
		if !isolated || !s.Enabled || !s.RequireIsolated {
			return nil, nil
		}
		r.Profile = s.DefaultProfile
	case 'f':
		return nil, nil
	case 't':
		r.Profile = s.DefaultProfile
	case '"':
		if err := json.Unmarshal(asked, &r.Profile); err != nil {
			return nil, err
		}
		if r.Profile == "" {
			r.Profile = s.DefaultProfile
		}
	case '{':
		if err := read(asked, &r); err != nil {
			return nil, err
		}
		if r.Profile == "" {
			r.Profile = s.DefaultProfile
		}
	default:
		return nil, errors.New("verify has to be a boolean, the name of a profile, or an object")
	}
	if !isolated {
		return nil, errNotIsolated
	}
	return s.plan(r)
}

func read(text jsontext.Value, into *request) error {
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("verify cannot be read: %w", err)
	}
	return nil
}

// plan puts what r says over what its profile says.
func (s Settings) plan(r request) (*Plan, error) {
	if r.Profile == "" && r.Commands == nil && r.Mode == "" && r.LSPDiagnostics == nil {
		return nil, errNothing
	}
	whole := request{OnFailure: ReturnFailure}
	if r.Profile != "" {
		profile, ok := s.Profiles[r.Profile]
		if !ok || read(profile, &whole) != nil {
			return nil, refusal(fmt.Sprintf("Unknown or invalid verification profile %q.", r.Profile))
		}
	}
	whole.take(r)
	switch {
	case whole.Mode == "none":
		return nil, nil
	case whole.Mode == "lsp", whole.Mode == "profile", whole.LSPDiagnostics != nil && *whole.LSPDiagnostics:
		return nil, errLanguage
	case whole.Mode != "" && whole.Mode != "command":
		return nil, fmt.Errorf("verify.mode cannot be %q: it is none or command", whole.Mode)
	case whole.Commands == nil || len(*whole.Commands) == 0:
		return nil, errNoCommands
	}
	p := &Plan{Profile: r.Profile, Commands: whole.commands(), OnFailure: whole.OnFailure, Retries: s.Retries}
	if whole.MaxRetries != nil {
		p.Retries = *whole.MaxRetries
	}
	return p, p.check()
}

// take replaces what over says.
func (r *request) take(over request) {
	if over.Mode != "" {
		r.Mode = over.Mode
	}
	if over.Commands != nil {
		r.Commands = over.Commands
	}
	if over.LSPDiagnostics != nil {
		r.LSPDiagnostics = over.LSPDiagnostics
	}
	if over.MaxRetries != nil {
		r.MaxRetries = over.MaxRetries
	}
	if over.OnFailure != "" {
		r.OnFailure = over.OnFailure
	}
}

func (p *Plan) check() error {
	for i, c := range p.Commands {
		if c.Name == "" || c.Line == "" {
			return fmt.Errorf("verify.commands[%d] needs a name and a command", i)
		}
		if c.Limit < 0 {
			return fmt.Errorf("verify.commands[%d].timeoutMs is negative", i)
		}
	}
	switch p.OnFailure {
	case ReturnFailure, RetryOnce, DiscardPatch:
		return nil
	}
	return fmt.Errorf("verify.onFailure cannot be %q: it is return_failure, retry_once or discard_patch", p.OnFailure)
}
