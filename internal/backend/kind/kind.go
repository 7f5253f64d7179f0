// Package kind has the kinds of back ends by name, with what the configuration need not say about them. It starts nothing.
package kind

import (
	"errors"
	"slices"
	"strings"
)

// A Kind is what the back ends have in common that speak one protocol. The name of a back end is that of its kind, or begins
// with it and a colon: codex, codex:work, acp:claude.
type Kind struct {
	Name    string
	Command []string // default; nil: it has to be configured
	Confine Confine  // default
	// Provider has the models of the agents, in the catalogue; "": the agents name the provider, or it is not known.
	Provider string
}

// A Confine is what confines the process of an agent.
type Confine string

// The values of Confine.
const (
	Inner  Confine = "inner"  // the agent's own sandbox, which gets the policy of the session
	Outer  Confine = "outer"  // the sandbox of the session, with the network open
	Strict Confine = "outer!" // as Outer, and an agent of a session without network does not start
	None   Confine = "none"   // nothing
)

// Confines are all values of Confine.
var Confines = []Confine{Inner, Outer, Strict, None}

// All are the kinds.
var All = []Kind{
	{Name: "codex", Command: []string{"codex", "app-server"}, Confine: Inner, Provider: "openai"},
	{Name: "pi", Command: []string{"pi", "--mode", "rpc"}, Confine: Outer},
	{Name: "acp", Confine: Outer},
}

// ErrName is of a back end whose name no back end can have.
var ErrName = errors.New("the name of a back end is codex or pi, or codex:, pi: or acp: and a name without blanks and slashes")

// Of returns the kind of the back end of that name. A kind without a default command has no back end of its own name.
func Of(backend string) (Kind, bool) {
	name, own, named := strings.Cut(backend, ":")
	i := slices.IndexFunc(All, func(k Kind) bool { return k.Name == name })
	if i < 0 || strings.ContainsAny(own, "/ \t\n") || named && own == "" || !named && All[i].Command == nil {
		return Kind{}, false
	}
	return All[i], true
}
