package sandbox

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/sandbox/reexec"
)

// retainedCapabilities are the capabilities that a command of root retains: to work with files of
// any owner where it may write at all, to become another user, and to listen on any port.
const retainedCapabilities = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
	1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_NET_BIND_SERVICE

// prepare returns the launch of a confined command with an environment.
func (m method) prepare(c Command, env []string) (*launch, error) {
	if m.bubblewrap != "" {
		return m.prepareBubblewrap(c, env)
	}
	return m.prepareReexec(c, env)
}

// prepareReexec returns a launch that starts this program again, which confines itself and executes c.
func (m method) prepareReexec(c Command, env []string) (*launch, error) {
	plan := &reexec.Plan{
		Path: c.Path, Args: append([]string{c.Path}, c.Args...), Env: env, Dir: c.Dir,
		HandledRights: handledRights(m.abi), Scopes: scopes(m.abi), Rules: sinkRules(),
	}
	if os.Geteuid() == 0 {
		plan.Capabilities = retainedCapabilities
	}
	noNetwork := !c.Confine.Network
	if m.filters {
		filter, err := newFilter(filterKind{ip: !noNetwork || m.namespaces != noNamespaces, tracing: true, ipc: m.namespaces != noNamespaces})
		if err != nil {
			return nil, err
		}
		plan.Filter = filter
	}
	paths := m.planPaths(c.Confine)
	if err := paths.hidden.check(c.Dir); err != nil {
		return nil, err
	}
	excluded := slices.Concat(paths.protected, paths.symlinks, paths.hidden.folders)
	var created []string
	if m.namespaces != noNamespaces {
		created = placeholders.create(paths.missingFolders, paths.missingFiles)
		excluded = paths.symlinks
		plan.Mounts, plan.Loopback = true, noNetwork
		plan.Devices = !slices.ContainsFunc(paths.writable, func(root string) bool { return within(root, "/dev") }) // they would cover it
		plan.Writable, plan.RenameLocked = paths.writable, paths.renameLocked
		plan.Hidden, plan.HiddenWritable, plan.HiddenReadable = paths.hidden.folders, paths.hidden.writable, paths.hidden.readable
		plan.Protected = slices.DeleteFunc(slices.Concat(paths.protected, created), func(path string) bool { return slices.Contains(paths.symlinks, path) })
	}
	l := &launch{path: ownProgram, args: []string{"parley"}, sys: m.namespaces.attr(noNetwork), cleanup: func() { placeholders.release(created) }, placeholders: created}
	rules, err := writeRules(slices.Concat(paths.writable, paths.hidden.writable), excluded)
	if err == nil && m.namespaces == noNamespaces && len(paths.hidden.folders) > 0 {
		plan.HandledRights |= readFile
		rules, err = readRules(rules, paths.hidden)
	}
	if err != nil {
		l.discard()
		return nil, err
	}
	plan.Rules = append(plan.Rules, rules...)
	start, err := newReexec(plan)
	if err != nil {
		l.discard()
		return nil, err
	}
	l.env = start.env(markOf(env))
	l.files = start.files()
	l.awaitExec = func() error { defer start.status.Close(); return start.awaitExec() }
	l.cleanup = func() { start.status.Close(); placeholders.release(created) }
	return l, nil
}
