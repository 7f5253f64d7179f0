package approval

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file finds commands that destroy a machine or a home folder, or give control of it to a
// server. It knows the few forms that models write by mistake, not all possible ones.

// A destructive is a kind of command that a dialect may refuse always.
type destructive struct {
	programs string // names, separated by blanks; a "*" at the end matches any ending
	what     string // what the command does
	hits     func(args []string, at folders) bool
}

var destructives = []destructive{
	{"rm", "deletes a system folder or the home folder", func(args []string, at folders) bool {
		return recursive(args, "rR", "--recursive") && at.wipes(args)
	}},
	{"chmod chown chgrp", "changes the rights of a system folder or the home folder", func(args []string, at folders) bool {
		return recursive(args, "R", "--recursive") && at.wipes(args)
	}},
	{"find", "deletes a system folder or the home folder", func(args []string, at folders) bool {
		deletes := slices.Contains(args, "-delete") || slices.Contains(args, "-exec") && slices.ContainsFunc(args, func(a string) bool { return path.Base(a) == "rm" })
		plain := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-name") || strings.HasPrefix(a, "-path") })
		if strings.HasPrefix(args[0], "-") {
			args = []string{"."}
		}
		return deletes && !plain && at.wipes(args[:1:1])
	}},
	{"mv", "moves a system folder or the home folder", func(args []string, at folders) bool { return at.wipes(moved(args)) }},
	{"rsync", "deletes what is in a system folder or the home folder", func(args []string, at folders) bool {
		deletes := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--del") })
		return deletes && at.wipes(args[len(args)-1:])
	}},
	{"mkfs mkfs.* mke2fs mkswap wipefs blkdiscard shred", "erases a disk", func(args []string, at folders) bool {
		return slices.ContainsFunc(args, at.device)
	}},
	{"dd", overwritesDisk, func(args []string, at folders) bool {
		return slices.ContainsFunc(args, func(a string) bool {
			file, ok := strings.CutPrefix(a, "of=")
			return ok && at.device(file)
		})
	}},
	{"tee truncate", overwritesDisk, func(args []string, at folders) bool { return slices.ContainsFunc(args, at.device) }},
	{"cp", overwritesDisk, func(args []string, at folders) bool { return at.device(args[len(args)-1]) }},
}

const (
	overwritesDisk = "overwrites a disk"
	forkBomb       = "starts processes without end"
	runsDownload   = "runs what it downloads"
	unreadable     = "is too long or too deep to be checked"
)

var (
	// vitalFolders are the folders without which a machine does not work.
	vitalFolders = wordSet{words: "/ /bin /boot /dev /etc /home /lib /lib64 /proc /root /sbin /sys /usr /var /Users /System /Library ~"}
	// streamDevices are devices, and folders of devices, that are not disks.
	streamDevices = wordList{words: "null zero full random urandom stdin stdout stderr tty console ptmx fd pts shm tcp udp mqueue"}
	// changers change the folder in which the next command runs.
	changers = wordSet{words: "cd chdir pushd popd"}
	// downloaders print the response of a server.
	downloaders = wordSet{words: "curl wget fetch aria2c http https xh"}
	// stdinShells run stdin with any options, unless an argument names a script;
	// stdinInterpreters only without arguments.
	stdinShells       = wordSet{words: "bash sh zsh dash ksh mksh ash fish csh tcsh"}
	stdinInterpreters = wordSet{words: "python python2 python3 perl ruby node php"}
	// evaluators run text in the same shell.
	evaluators = wordSet{words: "eval source ."}
	// prefixes run the command at the end of their arguments.
	prefixes = wordSet{words: `sudo doas env nohup nice ionice time timeout setsid command exec builtin xargs stdbuf busybox toybox unbuffer
		chroot systemd-run flock watch parallel pkexec su runuser`}
)

// The limits of a check: shells within shells, and visited words and parts of a line, some of
// which are visited many times.
const (
	maxDestructiveDepth = 8
	maxDestructiveWork  = 1_000_000
)

// Destructive returns what a shell line does in the folder dir that destroys a machine or a home folder, or runs
// what a server sends; "" if it does nothing of that. A line that is too long or too deep to be
// parsed counts as destructive.
func Destructive(line, dir, home string) (what string) {
	c := &destructiveCheck{at: folders{dir: dir, home: home}, left: maxDestructiveWork}
	if what = c.line(line, 0); c.left < 0 {
		return unreadable
	}
	return what
}

// A destructiveCheck is the state of a check of one line.
type destructiveCheck struct {
	at   folders // where the next command runs
	left int     // words and parts of the line that may still be visited
}

func (d *destructiveCheck) line(line string, depth int) (what string) {
	if strings.TrimSpace(line) == "" {
		return ""
	}
	file, err := ParseShell(line)
	switch {
	case err == errUnclear, depth > maxDestructiveDepth:
		return unreadable
	case err != nil:
		return "" // no shell runs it
	}
	var outer []func() // of each node that is being visited: what its end does
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil {
			last := len(outer) - 1
			outer[last]()
			outer = outer[:last]
			return true
		}
		if what != "" || d.left < 0 {
			return false
		}
		end := func() {}
		if ownProcess(node) {
			end = d.inProcess()
		}
		outer = append(outer, end)
		switch n := node.(type) {
		case *syntax.CallExpr:
			what = d.call(n, depth)
		case *syntax.Redirect:
			writes := n.Op == syntax.RdrOut || n.Op == syntax.AppOut || n.Op == syntax.RdrClob || n.Op == syntax.RdrAll || n.Op == syntax.AppAll
			if writes && d.at.device(roughWord(n.Word)) {
				what = overwritesDisk
			}
		case *syntax.FuncDecl:
			if d.bomb(n) {
				what = forkBomb
			}
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && d.downloads(n.X) && d.readsProgram(n.Y) {
				what = runsDownload
			}
		}
		return true
	})
	return what
}

// call checks a simple command, and those that it is a prefix of.
func (d *destructiveCheck) call(c *syntax.CallExpr, depth int) string {
	args := roughWords(c)
	for i := range args {
		if i > 0 && !prefixes.get()[programOf(args[0])] {
			break
		}
		if d.left -= len(args) - i; d.left < 0 {
			return unreadable
		}
		if what := d.program(programOf(args[i]), args[i+1:], depth); what != "" {
			return what
		}
	}
	if len(args) > 0 && (stdinShells.get()[programOf(args[0])] || evaluators.get()[args[0]] || prefixes.get()[programOf(args[0])] || args[0] == unknownWord) {
		for _, word := range c.Args {
			if substitutes(word) && d.downloads(word) {
				return runsDownload
			}
		}
	}
	return ""
}

func (d *destructiveCheck) program(name string, args []string, depth int) string {
	for _, kind := range destructives {
		if named(kind.programs, name) && len(args) > 0 && kind.hits(args, d.at) {
			return kind.what
		}
	}
	switch {
	case changers.get()[name]:
		d.at = d.at.enter(name, args)
	case evaluators.get()[name] && name == "eval":
		return d.line(strings.Join(args, " "), depth+1)
	case stdinShells.get()[name]:
		for i, a := range args {
			if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.HasSuffix(a, "c") && i+1 < len(args) {
				defer d.inProcess()()
				return d.line(args[i+1], depth+1)
			}
		}
	}
	return ""
}

// programOf returns the name of the program that a word names, without its folder.
func programOf(word string) string { return path.Base(word) }

// named reports whether name is one of names.
func named(names, name string) bool {
	for pattern := range strings.FieldsSeq(names) {
		if wild(pattern, name) {
			return true
		}
	}
	return false
}

// recursive reports whether one of the short options letters, or the long one, is in args.
func recursive(args []string, letters, long string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		short := len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.ContainsAny(a, letters)
		return short || len(a) > 3 && strings.HasPrefix(long, a)
	})
}

// bomb reports whether a function starts itself in the background or on both sides of a pipe.
func (d *destructiveCheck) bomb(f *syntax.FuncDecl) (found bool) {
	calls := func(node syntax.Node) bool {
		return d.contains(node, func(c *syntax.CallExpr) bool { return len(c.Args) > 0 && roughWord(c.Args[0]) == f.Name.Value })
	}
	syntax.Walk(f.Body, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Stmt:
			found = found || n.Background && calls(n)
		case *syntax.BinaryCmd:
			found = found || n.Op == syntax.Pipe && calls(n.X) && calls(n.Y)
		}
		return !found && d.left >= 0
	})
	return found
}

// contains reports whether fits returns true for a simple command in node.
func (d *destructiveCheck) contains(node syntax.Node, fits func(*syntax.CallExpr) bool) (found bool) {
	syntax.Walk(node, func(node syntax.Node) bool {
		if d.left--; d.left < 0 {
			return false
		}
		if c, ok := node.(*syntax.CallExpr); ok && fits(c) {
			found = true
		}
		return !found
	})
	return found
}

// downloads reports whether a command in node reads from a server.
func (d *destructiveCheck) downloads(node syntax.Node) bool {
	return d.contains(node, func(c *syntax.CallExpr) bool {
		return slices.ContainsFunc(d.commandsIn(c), func(args []string) bool { return downloaders.get()[programOf(args[0])] })
	})
}

// readsProgram reports whether a command in node runs its stdin.
func (d *destructiveCheck) readsProgram(node syntax.Node) bool {
	return d.contains(node, func(c *syntax.CallExpr) bool {
		return slices.ContainsFunc(d.commandsIn(c), func(args []string) bool {
			name, rest := programOf(args[0]), args[1:]
			if stdinInterpreters.get()[name] {
				return len(rest) == 0 || rest[0] == "-"
			}
			if !stdinShells.get()[name] {
				return false
			}
			for _, a := range rest {
				switch {
				case a == "-" || a == "-s" || a == "--":
					return true
				case !strings.HasPrefix(a, "-"), strings.HasSuffix(a, "c") && !strings.HasPrefix(a, "--"):
					return false // a script, or a line
				}
			}
			return true
		})
	})
}

// commandsIn returns the commands that a simple command may be: itself, and, of a prefix, the
// words from each argument on.
func (d *destructiveCheck) commandsIn(c *syntax.CallExpr) (all [][]string) {
	words := roughWords(c)
	for i := range words {
		if i > 0 && !prefixes.get()[programOf(words[0])] {
			break
		}
		if d.left--; d.left < 0 {
			return nil
		}
		all = append(all, words[i:])
	}
	return all
}

// substitutes reports whether a word contains the output of a command.
func substitutes(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// unknownWord stands for a word that is not known before the line runs.
const unknownWord = "\x00"

func roughWords(c *syntax.CallExpr) []string {
	words := make([]string, len(c.Args))
	for i, w := range c.Args {
		words[i] = roughWord(w)
	}
	return words
}

// roughWord returns a word without its quotes, with "~" for the home folder; unknownWord if other
// parts of it are known only when the line runs.
func roughWord(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	if !roughParts(&b, w.Parts) {
		return unknownWord
	}
	return b.String()
}

func roughParts(b *strings.Builder, parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value))
		case *syntax.SglQuoted:
			if p.Dollar {
				b.WriteString(ansi(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			if !roughParts(b, p.Parts) {
				return false
			}
		case *syntax.ParamExp:
			if p.Param == nil || p.Param.Value != "HOME" {
				return false
			}
			b.WriteString("~")
		default:
			return false
		}
	}
	return true
}
