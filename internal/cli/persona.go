package cli

import (
	"log/slog"
	"os"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/credentials"
)

// A Finding is one line of doctor. Fix is "" when nothing has to be done.
type Finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitzero"`

	Required bool `json:"-"` // nothing works without it
}

// A Persona is what a program of another name adds to the commands that it shares with parley.
type Persona struct {
	Getenv func(string) string
	Log    *slog.Logger // nil: stderr
	// Configure adds what the program's own files in the workspace and the home folder say;
	// nil: it has none.
	Configure func(a *app.App, workspace string) error
	// Examine checks those files; nil: there are none.
	Examine func(workspace string) []Finding
}

// Parley is the program under its own name.
var Parley = Persona{Getenv: os.Getenv}

// Assemble is [Assemble] for sessions in the workspace.
func (p Persona) Assemble(settings config.Config, workspace string) (*app.App, error) {
	a, err := app.New(settings, app.Options{Parts: Linked.Parts, Version: Version, Credentials: credentials.Files(), Rebuilding: RebuildProgress(), Log: p.Log})
	if err != nil || p.Configure == nil {
		return a, err
	}
	if err := p.Configure(a, workspace); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}
