package sandbox

import (
	"errors"
	"fmt"
)

// A Choice is the value of the setting "sandbox": what confines commands.
type Choice string

// The choices. The zero Choice is Auto.
const (
	Auto       Choice = "auto"       // the strongest that works
	Landlock   Choice = "landlock"   // of Linux, with namespaces if they work
	Bubblewrap Choice = "bubblewrap" // the program bwrap
	Off        Choice = "off"        // nothing: only commands with the Policy Full can run
)

// ParseChoice parses the setting.
func ParseChoice(text string) (Choice, error) {
	switch c := Choice(text); c {
	case "":
		return Auto, nil
	case Auto, Landlock, Bubblewrap, Off:
		return c, nil
	}
	return "", fmt.Errorf("sandbox %q is none of %s, %s, %s and %s", text, Auto, Landlock, Bubblewrap, Off)
}

// The names of mechanisms in a Report and in Options.Without.
const (
	nameLandlock   = "landlock"
	nameSeccomp    = "seccomp"
	nameNamespaces = "namespaces"
	nameBubblewrap = "bubblewrap"
	nameSeatbelt   = "seatbelt"
)

// A Confinement describes how a Spawner confines commands.
type Confinement struct {
	Available bool   // whether commands with a Policy below Full can run
	Files     string // what enforces Writable and Protected; "" if nothing does
	Network   string // what denies the network; "" if nothing can
	Detail    string // one line for the user: what is used and what it does not enforce, or why nothing is available
}

// errNetwork reports that a Policy without network cannot be enforced.
var errNetwork = errors.New("commands cannot be kept off the network here: neither network namespaces nor seccomp filters can be used, " +
	"so a sandbox policy without network is refused")

// check returns why commands cannot be confined to p.
func (c Confinement) check(p Policy) error {
	if err := p.valid(); err != nil {
		return err
	}
	switch {
	case p.Level == Full:
		return nil
	case !c.Available:
		return fmt.Errorf("commands cannot be confined here, so the sandbox policy %q is refused: %s", p.Level, c.Detail)
	case !p.Network && c.Network == "":
		return errNetwork
	}
	return nil
}
