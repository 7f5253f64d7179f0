package approval

import (
	"bytes"
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

// TestPathLaw: what a grant covers lies in it, component by component, and is not more than
// its level; what is protected is named.
func TestPathLaw(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "ab", "a-", "A", "..", ".", "...", "", "a b", `a\b`, "ü", "*"})
	paths := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"/", "", "//"}).Draw(t, "root") + strings.Join(rapid.SliceOfN(names, 0, 4).Draw(t, "names"), "/")
	})
	parts := func(path string) []string {
		return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	}
	rapid.Check(t, func(t *rapid.T) {
		grant := Grant{
			Target: Target{Kind: TargetPath, Path: filepath.Clean("/" + paths.Draw(t, "granted")), Recursive: rapid.Bool().Draw(t, "all below")},
			Level:  rapid.SampledFrom([]Level{Read, Write, Execute, Admin}).Draw(t, "level"), Scope: Session,
		}
		var g GrantSet
		if _, err := g.AddGrant(grant); err != nil {
			t.Fatal(err)
		}
		p := Path{
			Path: paths.Draw(t, "asked"), Write: rapid.Bool().Draw(t, "write"),
			Recursive: rapid.Bool().Draw(t, "recursive"), Protected: rapid.IntRange(0, 3).Draw(t, "protected") == 0,
		}
		if rapid.Bool().Draw(t, "near") {
			p.Path = grant.Target.Path + "/" + p.Path
		}
		if rapid.Bool().Draw(t, "clean") {
			p.Path = filepath.Clean("/" + p.Path)
		}
		r := Request{Tool: "x", Level: Read, Paths: []Path{p}}
		if p.Write {
			r.Level = Write
		}
		top, at := parts(grant.Target.Path), parts(p.Path)
		inside := len(at) >= len(top) && slices.Equal(at[:len(top)], top) && p.Path == "/"+strings.Join(at, "/") &&
			!slices.Contains(at, "..") && !slices.Contains(at, ".")
		inside = inside && (grant.Target.Recursive || len(at) <= len(top)+1 && !p.Recursive)
		inside = inside && (!p.Protected || len(at) == len(top))
		if got, want := g.Covers(r), inside && grant.Level >= r.Level; got != want {
			t.Fatalf("%+v covers %+v: %t", grant, p, got)
		}
	})
}

// TestLinksDoNotWiden: whatever a path is called, through symlinks and "..", a grant for a
// folder covers it only if the file really lies in that folder.
func TestLinksDoNotWiden(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"in/a/b", "in/c", "out/a/b", "in-old"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"in/out": "../out", "in/a/up": "..", "in/a/b/far": "../../../out/a", "out/in": "../in", "in/loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	inside, err := os.Stat(filepath.Join(root, "in"))
	if err != nil {
		t.Fatal(err)
	}
	var g GrantSet
	give(t, &g, tree(filepath.Join(root, "in")), Write)
	steps := rapid.SampledFrom([]string{"in", "out", "a", "b", "c", "up", "far", "in-old", "..", "."})
	covered := 0
	rapid.Check(t, func(t *rapid.T) {
		shown := root + "/in/" + strings.Join(rapid.SliceOfN(steps, 0, 6).Draw(t, "steps"), "/")
		if g.Covers(writing(shown)) && filepath.Clean(shown) != shown {
			t.Fatalf("%s is covered, and is not resolved", shown)
		}
		real, err := filepath.EvalSymlinks(shown)
		if err != nil {
			return
		}
		lies := false
		for dir := real; ; dir = filepath.Dir(dir) {
			info, err := os.Stat(dir)
			if err != nil {
				t.Fatal(err)
			}
			if lies = lies || os.SameFile(info, inside); dir == "/" {
				break
			}
		}
		if g.Covers(writing(real)) != lies {
			t.Fatalf("%s is %s: covered %t", shown, real, !lies)
		}
		if lies {
			covered++
		}
	})
	if covered == 0 {
		t.Error("nothing was covered")
	}
}

// TestDomainLaw: a grant for a domain and all below covers no host but those.
func TestDomainLaw(t *testing.T) {
	labels := rapid.SampledFrom([]string{"x", "y", "X", "ax", "x-y", "", "xn--a", "1", "@", ":80", "%2e", "ü", "\\", "#", "?", "/"})
	hosts := rapid.Map(rapid.SliceOfN(labels, 1, 5), func(l []string) string { return strings.Join(l, ".") })
	var g GrantSet
	give(t, &g, Target{Kind: TargetDomain, Pattern: "*.x.y"}, Execute)
	rapid.Check(t, func(t *rapid.T) {
		host := hosts.Draw(t, "host")
		if rapid.Bool().Draw(t, "below") {
			host += ".x.y"
		}
		address := rapid.SampledFrom([]string{"https://", "http://", "HTTP://", "ftp://", "//", ""}).Draw(t, "scheme") + host + rapid.SampledFrom([]string{"", "/", ":443/", "?x.y", "#.x.y", "@x.y"}).Draw(t, "rest")
		if !g.Covers(fetching(address)) {
			return
		}
		u, err := url.Parse(address) // covered, so it has to be readable
		if err != nil {
			t.Fatal(err)
		}
		name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
		if name != "x.y" && !strings.HasSuffix(name, ".x.y") || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%s is covered", address)
		}
	})
}

// pieces make lines that a shell reads in surprising ways. What they run is only found if
// it lies on PATH, and there only stubs do.
var pieces = []string{
	"git", "git", "git log", "git log", "log", "status", "rm x", "evil", "sh -c", "env", "xargs", "'git log'", `"git" log`, `g\it log`, "$(evil)", "`evil`",
	"$X", "${X:=evil}", ";", "&&", "||", "|", "|&", "&", "\n", "\\\n", ">x", ">/dev/null", "2>&1", "<<E\n$(evil)\nE\n", "<<<evil", "<(evil)", "(", ")", "{", "}",
	"git() { evil; };", "function git { evil; };", "alias git=evil\n", "X=1", "PATH=.", "GIT_PAGER=evil", "export PATH=.;", "eval", "exec", "command", ".", "source",
	"-c", "-ccore.pager=evil", "--exec-path=.", "--exec-pat=.", "-C .", "*", "-*", "?c", "[-]c", "{-c,x}", "./*", "a*", "~", "HEAD~1", "HEAD^", "#", "!", "'", `"`, `\`, "=", "$'-c'", `$"-c"`,
	"if", "then", "fi", "while", "do", "done", "case", "in", "esac", "[[", "]]", "((", "))", "time", "coproc", "let x=", "trap evil EXIT;", "cd .;", "\t", "\r", "\u00a0", "ü", "-- ",
}

// TestCommandLaw holds what is covered against the shell itself: of a line that a grant for
// git covers, bash runs git and nothing else, and no option of git that widens is among its
// words, whatever files there are. Nor does a line leave anything after.
func TestCommandLaw(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	stubs, work, log := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "log")
	for _, name := range []string{"git", "rm", "evil", "sh", "env", "xargs", "log", "status", "x", "core.pager=evil", "E", "HEAD"} {
		script := "#!" + bash + "\nprintf '%s|%s\\n' '" + name + "' \"$1\" >>'" + log + "'\nfor a; do case $a in --exec*) echo \"$a\" >>'" + log + "';; esac; done\n"
		if err := os.WriteFile(filepath.Join(stubs, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{"--exec-path=.", "-c", "ac", "a-", "core.pager=evil"}
	for _, name := range files {
		if err := os.WriteFile(filepath.Join(work, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(files)
	var g GrantSet
	give(t, &g, Target{Kind: TargetCommand, Pattern: "git *"}, Execute)
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "pieces"), rapid.SampledFrom([]string{" ", " ", ""}).Draw(t, "joint"))
		if !g.Covers(running(line, work)) {
			return
		}
		ran++
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, bash, "--noprofile", "--norc", "-c", line)
		cmd.Dir, cmd.Env = work, []string{"PATH=" + stubs}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v: %s", line, err, out)
		}
		called, err := os.ReadFile(log)
		if err != nil {
			t.Fatalf("%q did not run git: %v: %s", line, err, out)
		}
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
		for text := range strings.Lines(string(called)) {
			name, first, called := strings.Cut(text, "|")
			if !called || name != "git" || strings.HasPrefix(first, "-c") || strings.HasPrefix(first, "-C") {
				t.Fatalf("%q ran %q", line, text)
			}
		}
		entries, err := os.ReadDir(work)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, e := range entries {
			left = append(left, e.Name())
		}
		if !slices.Equal(left, files) {
			t.Fatalf("%q left %q", line, left)
		}
	})
	if ran == 0 && !testing.Short() { // of few cases none may be covered
		t.Error("no line was covered")
	}
	t.Logf("%d lines were covered and ran", ran)
}

// TestRewrittenCommands: a covered line stays covered however its words are quoted, and is not
// once something is wrapped around it or hung onto it.
func TestRewrittenCommands(t *testing.T) {
	words := rapid.SampledFrom([]string{"log", "status", "diff", "show"})
	more := rapid.SampledFrom([]string{"-p", "--stat", "main", "a b", "x;y", "$(z)", "it's", "*", "~", "#", "a=b"})
	quotes := []func(string) string{
		func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" },
		func(s string) string {
			return `"` + strings.NewReplacer(`$`, `\$`, "`", "\\`", `"`, `\"`, `\`, `\\`).Replace(s) + `"`
		},
		func(s string) string {
			var b strings.Builder
			for _, r := range s {
				b.WriteString(`\` + string(r))
			}
			return b.String()
		},
	}
	spoils := []func(string) string{
		func(s string) string { return "X=1 " + s },
		func(s string) string { return "env " + s },
		func(s string) string { return "sudo " + s },
		func(s string) string { return "xargs " + s },
		func(s string) string { return "command " + s },
		func(s string) string { return "exec " + s },
		func(s string) string { return "time " + s },
		func(s string) string { return "! " + s },
		func(s string) string { return "(" + s + ")" },
		func(s string) string { return "{ " + s + "; }" },
		func(s string) string { return "if " + s + "; then " + s + "; fi" },
		func(s string) string { return "git() { evil; }; " + s },
		func(s string) string { return "alias git=evil\n" + s },
		func(s string) string { return "sh -c " + quotes[0](s) },
		func(s string) string { return "eval " + quotes[0](s) },
		func(s string) string { return "cd /tmp && " + s },
		func(s string) string { return "git -c x=y " + strings.TrimPrefix(s, "git ") },
		func(s string) string { return "$(" + s + ")" },
		func(s string) string { return "echo $(" + s + ")" },
		func(s string) string { return s + " >x" },
		func(s string) string { return s + " &" },
		func(s string) string { return s + " & " + s },
		func(s string) string { return s + "; rm x" },
		func(s string) string { return s + "\nrm x" },
		func(s string) string { return s + " | sh" },
		func(s string) string { return s + " || evil" },
		func(s string) string { return s + " $(evil)" },
		func(s string) string { return s + " `evil`" },
		func(s string) string { return s + " <(evil)" },
		func(s string) string { return s + " <<E\nx\nE\n" },
		func(s string) string { return s + " --output=x" },
		func(s string) string { return s + " # x" },
		func(s string) string { return s + " *" },
		func(s string) string { return s + " $X" },
	}
	var g GrantSet
	give(t, &g, Target{Kind: TargetCommand, Pattern: "git *"}, Execute)
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"git", "'git'", `"git"`, `g\it`, "/usr/bin/git"}).Draw(t, "git") + " " + words.Draw(t, "word")
		for _, word := range rapid.SliceOfN(more, 0, 3).Draw(t, "more") {
			line += " " + rapid.SampledFrom(quotes).Draw(t, "quotes")(word)
		}
		if !g.Covers(running(line, "/w")) {
			t.Fatalf("%q is not covered", line)
		}
		if n := rapid.IntRange(0, len(spoils)-1).Draw(t, "spoil"); g.Covers(running(spoils[n](line), "/w")) {
			t.Fatalf("%q is covered", spoils[n](line))
		}
	})
}

// FuzzCommandGrant: a second reading of a covered line finds nothing in it but commands that
// begin as the pattern does.
func FuzzCommandGrant(f *testing.F) {
	for text := range strings.Lines(commandTable) {
		if mark, line, row := strings.Cut(strings.TrimSuffix(text, "\n"), " "); row && (mark == "+" || mark == "-") {
			f.Add("git *", strings.ReplaceAll(line, "⏎", "\n"))
		} else {
			f.Add(strings.TrimSuffix(text, "\n"), "git log")
		}
	}
	f.Fuzz(func(t *testing.T, pattern, line string) {
		var g GrantSet
		grant := Grant{Target: Target{Kind: TargetCommand, Pattern: pattern}, Level: Execute, Scope: Session}
		if _, err := g.AddGrant(grant); err != nil || !g.Covers(running(line, "/w")) {
			return
		}
		p := readPattern(pattern)
		if p.any || line == pattern && !p.open {
			return
		}
		if len(p.words) == 0 {
			t.Fatalf("%q covers %q", pattern, line)
		}
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
		if err != nil {
			t.Fatalf("%q covers %q: %v", pattern, line, err)
		}
		syntax.Walk(file, func(node syntax.Node) bool {
			switch n := node.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ParamExp, *syntax.ArithmExp, *syntax.FuncDecl, *syntax.Assign, *syntax.Subshell,
				*syntax.Block, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.DeclClause, *syntax.ExtGlob, *syntax.BraceExp:
				t.Fatalf("%q covers %q, which has a %T", pattern, line, n)
			case *syntax.CallExpr:
				for i, word := range p.words {
					text, ok := literal(n.Args[min(i, len(n.Args)-1)])
					if i == 0 {
						text = strings.TrimPrefix(strings.TrimPrefix(text, "/usr"), "/bin/")
						word = strings.TrimPrefix(strings.TrimPrefix(word, "/usr"), "/bin/")
					}
					if !ok || text != word || len(n.Args) < len(p.words) {
						t.Fatalf("%q covers %q", pattern, line)
					}
				}
			}
			return true
		})
	})
}

// FuzzParseGrant: what is read is written and read again as the same, and only what is valid is read.
func FuzzParseGrant(f *testing.F) {
	f.Add([]byte(`{"id":"x","target":{"type":"path","path":"/w","recursive":true},"level":"write","scope":"always","expires":"2030-01-02T03:04:05Z"}`))
	f.Add([]byte(`{"target":{"type":"domain","pattern":"*.x.y:80"},"level":"execute","scope":"session"}`))
	f.Add([]byte(`{"target":{"type":"command","pattern":"git *"},"level":"execute","scope":"once"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		grant, err := ParseGrant(data)
		if err != nil {
			return
		}
		if err := grant.Validate(); err != nil || bytes.ContainsRune(data, 0) {
			t.Fatalf("%s was read: %v", data, err)
		}
		var g GrantSet
		_, err = g.AddGrant(grant)
		if (err == nil) != (grant.Scope != Once) {
			t.Fatalf("%s: %v", data, err)
		}
	})
}
