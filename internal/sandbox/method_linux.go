package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A method is the way in which a Spawner confines commands on Linux.
type method struct {
	abi        int // of Landlock; 0: not used
	namespaces namespaces
	filters    bool   // seccomp
	bubblewrap string // path of the program; "": not used
	err        error  // why no method is available; nil if one is
	hidden     []string
	readable   []string
}

// planPaths returns the paths that a Policy concerns.
func (m method) planPaths(p Policy) pathPlan {
	paths := planPaths(p)
	paths.hidden = hide(p, m.hidden, m.readable)
	paths.writable = slices.DeleteFunc(paths.writable, paths.hidden.contains)
	return paths
}

// chooseMethod detects what o allows, the strongest first: a method that enforces every Policy
// completely, then Landlock alone.
func chooseMethod(o Options) (m method) {
	defer func() { m.hidden, m.readable = o.Hidden, o.Readable }()
	use := func(name string) bool { return !slices.Contains(o.Without, name) }
	m.filters = use(nameSeccomp) && filtersError.Get() == nil
	var errs []error
	if o.Sandbox != Bubblewrap && o.Sandbox != Off {
		var err error
		m.abi, m.namespaces, err = chooseKernel(use(nameLandlock), use(nameNamespaces))
		if err != nil {
			errs = append(errs, err)
		}
		if m.abi > 0 && m.namespaces != noNamespaces {
			return m
		}
	}
	if o.Sandbox != Landlock && o.Sandbox != Off {
		path, err := "", errNotUsed(nameBubblewrap)
		if use(nameBubblewrap) {
			path, err = bubblewrapPath.Get()
		}
		if err == nil {
			return method{bubblewrap: path, filters: m.filters}
		}
		errs = append(errs, err)
	}
	if m.abi > 0 {
		return m
	}
	if o.Sandbox == Off {
		errs = append(errs, errors.New("it is switched off by the setting sandbox"))
	}
	return method{err: errors.Join(errs...)}
}

func errNotUsed(name string) error { return fmt.Errorf("%s is not to be used", name) }

// chooseKernel returns what of the kernel's own can be used together; an ABI of 0 comes
// with the reason.
func chooseKernel(landlock, spaces bool) (abi int, n namespaces, err error) {
	if !landlock {
		return 0, noNamespaces, errNotUsed(nameLandlock)
	}
	abi, err = landlockABI.Get()
	if err != nil {
		return 0, noNamespaces, errors.New(landlockDetail(err))
	}
	if spaces {
		n, _ = availableNamespaces.Get()
	}
	if n == noNamespaces && abi < abiTruncate {
		return 0, n, fmt.Errorf("the truncation of files is not held by Landlock of this kernel (ABI %d), and namespaces cannot be used; Linux 6.2 is needed", abi)
	}
	return abi, n, nil
}

func (m method) confinement() Confinement {
	if m.err != nil {
		return Confinement{Detail: strings.ReplaceAll(m.err.Error(), "\n", "; ")}
	}
	c := Confinement{Available: true}
	switch {
	case m.bubblewrap != "":
		c.Files, c.Network = "bubblewrap", "network namespace"
	case m.namespaces != noNamespaces:
		c.Files, c.Network = "Landlock and mount namespace", "network namespace"
	default:
		c.Files = "Landlock"
	}
	switch {
	case m.filters && c.Network != "":
		c.Network += " and seccomp"
	case m.filters:
		c.Network = "seccomp"
	}
	c.Detail = "files: " + c.Files
	if c.Network != "" {
		c.Detail += "; network: " + c.Network
	}
	if limits := m.limits(); len(limits) > 0 {
		c.Detail += "; not held: " + strings.Join(limits, "; ")
	}
	return c
}

// limits returns what the method does not enforce, for the user.
func (m method) limits() (limits []string) {
	if !m.filters {
		limits = append(limits, "sockets of services on this machine (no seccomp)")
	}
	if m.bubblewrap == "" && m.namespaces == noNamespaces {
		limits = append(limits, "modes, owners and times of files, and the making of a .git where none is (no namespaces); "+
			"in a folder that holds a .git nothing new can be made")
		if !m.filters {
			limits = append(limits, "the network")
		}
	}
	if m.abi < abiScopes {
		limits = append(limits, "signals to other processes of the user (needs Landlock of Linux 6.12)")
	}
	return limits
}
