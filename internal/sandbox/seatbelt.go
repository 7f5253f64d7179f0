package sandbox

import (
	"fmt"
	"slices"
	"strings"
)

// seatbeltSinks are devices that discard what is written to them.
var seatbeltSinks = []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/dtracehelper"}

// seatbeltProfile returns the profile of p for macOS's sandbox-exec, and the parameters that it
// names: no path is ever part of the profile's text. The last rule that matches decides.
func seatbeltProfile(p Policy, o Options) (profile string, parameters []string) {
	var text strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	add("(version 1)")
	add("(allow default)")
	add("(deny file-write*)")
	for _, path := range seatbeltSinks {
		add("(allow file-write-data (literal %q))", path)
	}
	if p.Level == WorkspaceWrite {
		for i, root := range p.Writable {
			name := fmt.Sprintf("WRITABLE_%d", i)
			parameters = append(parameters, name+"="+root)
			add("(allow file-write* (subpath (param %q)))", name)
			if !p.GitFolders {
				add("(deny file-write* (require-all (subpath (param %q)) (regex #\"/\\.git(/|$)\")))", name)
			}
		}
		protected := slices.Concat(p.Protected, p.ProtectedFiles)
		for _, root := range p.Writable {
			if !p.GitFolders {
				protected = append(protected, HooksOf(root)...)
			}
		}
		for i, path := range protected {
			name := fmt.Sprintf("PROTECTED_%d", i)
			parameters = append(parameters, name+"="+path)
			add("(deny file-write* (subpath (param %q)))", name)
		}
	}
	for i, path := range o.Hidden {
		name := fmt.Sprintf("HIDDEN_%d", i)
		parameters = append(parameters, name+"="+path)
		add("(deny file-read* file-write* (subpath (param %q)))", name)
	}
	for i, path := range o.Readable {
		name := fmt.Sprintf("READABLE_%d", i)
		parameters = append(parameters, name+"="+path)
		add("(allow file-read* (subpath (param %q)))", name)
	}
	for i, path := range openRoots(p, o) {
		name := fmt.Sprintf("OPEN_%d", i)
		parameters = append(parameters, name+"="+path)
		add("(allow file-read* file-write* (subpath (param %q)))", name)
	}
	// Services with all the user's rights: sockets of this machine, AppleEvents, launchd.
	add("(deny network* (remote unix-socket))")
	add("(deny appleevent-send)")
	add("(deny job-creation)")
	add("(deny signal (target others))")
	add("(deny process-info-setcontrol (target others))")
	if !p.Network {
		add("(deny network*)")
	}
	return text.String(), parameters
}

// openRoots returns the writable folders of p that are below a hidden folder, and that p does not protect.
func openRoots(p Policy, o Options) (roots []string) {
	if p.Level != WorkspaceWrite {
		return nil
	}
	for _, root := range p.Writable {
		inside := func(folder string) bool { return within(root, folder) }
		if slices.ContainsFunc(o.Hidden, inside) && !slices.ContainsFunc(p.Protected, inside) {
			roots = append(roots, root)
		}
	}
	return roots
}

// seatbeltArgs returns the arguments of sandbox-exec for a command.
func seatbeltArgs(c Command, o Options) []string {
	profile, parameters := seatbeltProfile(c.Confine, o)
	args := []string{"-p", profile}
	for _, parameter := range parameters {
		args = append(args, "-D", parameter)
	}
	return append(append(args, "--", c.Path), c.Args...)
}
