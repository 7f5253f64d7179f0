package flint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/dialect/dialecttest"
)

// laws serves in process and checks each process with a checker. At the end of each it
// resumes every thread in a fresh process, whose turns must be those that were streamed.
type laws struct {
	t    dialecttest.Tester
	dirs []string // folders besides the workspace and HOME in which files are changed
	mu   sync.Mutex
	done map[string]map[string][]string // state folder: thread: completed turns as JSON
}

func newLaws(t dialecttest.Tester) *laws { return &laws{t: t, done: map[string]map[string][]string{}} }

// doneIn returns the turns that processes with a state folder completed.
func (l *laws) doneIn(home string) map[string][]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done[home] == nil {
		l.done[home] = map[string][]string{}
	}
	return l.done[home]
}

// serve is serveInProcess, watched.
func (l *laws) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	getenv := dialecttest.Getenv(env)
	c := newChecker(l.doneIn(getenv("PARLEY_HOME")), newPatches(append([]string{getenv("PWD"), getenv("HOME")}, l.dirs...)...))
	return dialecttest.Tapped(serveInProcess, c.received, c.line, func(rest string) {
		c.end()
		if rest != "" {
			c.fault("the last line has no end: %s", rest)
		}
		if err := resumeAll(c, args, env); err != nil {
			c.fault("resume all: %v", err)
		}
		dialecttest.Report(l.t, env, c.problems)
	})(ctx, args, stdin, stdout, stderr, env)
}

// resumeAll resumes every thread in a fresh process with a copy of the state.
func resumeAll(c *checker, args, env []string) error {
	if len(c.done) == 0 {
		return nil
	}
	home, err := os.MkdirTemp("", "resumed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if err := os.CopyFS(filepath.Join(home, "state"), os.DirFS(dialecttest.Getenv(env)("PARLEY_HOME"))); err != nil {
		return err
	}
	var said strings.Builder
	said.WriteString(`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"heir","version":"1"}}}` + "\n")
	for thread := range c.done {
		fmt.Fprintf(&said, `{"id":%q,"method":"thread/resume","params":{"threadId":%q}}`+"\n", thread, thread)
	}
	var heard, notes bytes.Buffer
	env = append(env[:len(env):len(env)], "PARLEY_HOME="+filepath.Join(home, "state"))
	if code := serveInProcess(context.Background(), args, strings.NewReader(said.String()), &heard, &notes, env); code != 0 {
		return fmt.Errorf("exit code %d: %s", code, notes.String())
	}
	heir := newChecker(c.done, c.patches)
	resumed := 0
	for line := range bytes.Lines(heard.Bytes()) {
		heir.line(line)
		if bytes.Contains(line, []byte(`"result":{"thread"`)) {
			resumed++
		}
	}
	if resumed != len(c.done) {
		heir.fault("%d of %d threads are resumed: %s", resumed, len(c.done), heard.String())
	}
	c.problems = append(c.problems, heir.problems...)
	return nil
}

// patches lets git apply every diff, each to the file as it was when the diff was made. It
// knows the files from before the process, and what completed changes made of them; files
// that commands make are not known.
type patches struct {
	files    map[string]string // by absolute path
	proposed map[string]string // path and diff: what the file would become
}

func newPatches(dirs ...string) *patches {
	p := &patches{map[string]string{}, map[string]string{}}
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Name() == ".parley" {
				return filepath.SkipDir
			}
			if err == nil && d.Type().IsRegular() {
				if data, err := os.ReadFile(path); err == nil {
					p.files[path] = string(data)
				}
			}
			return nil
		})
	}
	return p
}

// propose applies a diff to a copy of its file.
func (p *patches) propose(c wireChange) error {
	if c.Diff == "" || c.Diff == "Binary files differ\n" || strings.HasSuffix(c.Diff, appserver.CutDiff) {
		return nil
	}
	before, existed := p.files[c.Path]
	if added := bytes.Contains(c.Kind, []byte("add")); added == existed {
		return fmt.Errorf("%s is reported as %s, but existed: %t", c.Path, c.Kind, existed)
	}
	after, err := applyDiff(c, before, existed)
	p.proposed[c.Path+"\x00"+c.Diff] = after
	return err
}

// accept records that the change was made.
func (p *patches) accept(c wireChange) {
	if after, ok := p.proposed[c.Path+"\x00"+c.Diff]; ok {
		p.files[c.Path] = after
	}
}

// applyDiff returns the file that git makes of before.
func applyDiff(c wireChange, before string, existed bool) (string, error) {
	dir, err := os.MkdirTemp("", "apply-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	name := diffName(c.Diff)
	if name == "" || !strings.HasSuffix(filepath.ToSlash(c.Path), "/"+strings.TrimPrefix(name, "/")) {
		return "", fmt.Errorf("the diff of %s is for %q", c.Path, name)
	}
	// Git changes nothing of its own, whatever the diff is like: there it is applied under
	// another name.
	disguise := func(text string) string { return strings.ReplaceAll(text, "/.git/", "/dot-git/") }
	name, c.Diff = strings.TrimPrefix(disguise("/"+name), "/"), disguise(c.Diff)
	path := filepath.Join(dir, filepath.FromSlash(name))
	if existed {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			return "", err
		}
	}
	git := exec.Command("git", "apply", "--check", "--apply", "-")
	git.Dir, git.Stdin = dir, strings.NewReader(c.Diff)
	git.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
	if out, err := git.CombinedOutput(); err != nil {
		return "", fmt.Errorf("git does not take the diff of %s: %w\n%s\n%s", c.Path, err, out, c.Diff)
	}
	after, err := os.ReadFile(path)
	return string(after), err
}

// diffName returns the name that the header of a diff gives its file.
func diffName(diff string) string {
	for line := range strings.Lines(diff) {
		side, name, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if text, err := strconv.Unquote(name); err == nil {
			name = text
		}
		if at, ok := strings.CutPrefix(name, map[string]string{"+++": "b/", "---": "a/"}[side]); ok && (side == "+++" || side == "---") {
			return at
		}
	}
	return ""
}
