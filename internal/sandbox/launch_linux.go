package sandbox

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/sandbox/cell"
)

// keptCapabilities are those that root's commands keep: to work with files of any owner
// where they may write at all, to become another user, and to listen on any port.
const keptCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
	1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_NET_BIND_SERVICE

// prepare makes the launch of a confined command with an environment.
func (m method) prepare(c Command, env []string) (*launch, error) {
	if m.bubblewrap != "" {
		return m.prepareBubblewrap(c, env)
	}
	return m.prepareCell(c, env)
}

// prepareCell makes this program start c in a cell.
func (m method) prepareCell(c Command, env []string) (*launch, error) {
	plan := &cell.Plan{
		Path: c.Path, Args: append([]string{c.Path}, c.Args...), Env: env, Dir: c.Dir,
		Handled: handledRights(m.abi), Scoped: scopes(m.abi), Rules: sinkRules(),
	}
	if os.Geteuid() == 0 {
		plan.Keep = keptCapabilities
	}
	cutOff := !c.Confine.Network
	if m.filters {
		filter, err := newFilter(filterKind{ip: !cutOff || m.namespaces != noNamespaces, tracing: true})
		if err != nil {
			return nil, err
		}
		plan.Filter = filter
	}
	g := survey(c.Confine)
	keptOut := slices.Concat(g.protected, g.links)
	var held []string
	if m.namespaces != noNamespaces {
		held = placeholders.put(g.missing)
		keptOut = g.links
		plan.Mounts, plan.Loopback = true, cutOff
		plan.Devices = !slices.ContainsFunc(g.writable, func(root string) bool { return within(root, "/dev") }) // they would cover it
		plan.Writable, plan.Pinned = g.writable, g.pinned
		plan.Protected = slices.DeleteFunc(slices.Concat(g.protected, held), func(path string) bool { return slices.Contains(g.links, path) })
	}
	l := &launch{path: ownProgram, args: []string{"parley"}, sys: m.namespaces.attr(cutOff), over: func() { placeholders.take(held) }}
	rules, err := workRules(g.writable, keptOut)
	if err != nil {
		l.abandon()
		return nil, err
	}
	plan.Rules = append(plan.Rules, rules...)
	start, err := newCell(plan)
	if err != nil {
		l.abandon()
		return nil, err
	}
	l.env = start.env(markOf(env))
	l.extra = start.files()
	l.begun = func() error { defer start.from.Close(); return start.begun() }
	l.over = func() { start.from.Close(); placeholders.take(held) }
	return l, nil
}
