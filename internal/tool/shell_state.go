package tool

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/sandbox"
)

// A ShellState is what a session's shell commands leave to the next one: the folder they end
// in, and the exported variables, without secrets. A command that was interrupted, replaced
// itself by another program, or exits with an EXIT trap of its own, leaves nothing: what
// was known before stays. A nil ShellState knows nothing. It is safe for use by several goroutines.
type ShellState struct {
	secrets []string

	mu      sync.Mutex
	folder  string         // "": none is known
	environ []string       // nil: none is known
	confine sandbox.Policy // under which environ came to be
	source  environSource  // what environ was made of
}

// An environSource is what the environment that a command leaves is made of. Most commands leave
// it as it was: then there is nothing to make.
type environSource struct {
	said  []string // by the command
	began []string // the command began with it
	base  []string // it knows nothing of commands
}

func (s environSource) equal(other environSource) bool {
	return slices.Equal(s.said, other.said) && slices.Equal(s.began, other.began) && slices.Equal(s.base, other.base)
}

// NewShellState returns a ShellState that keeps values with one of secrets in them out, as
// Environ does.
func NewShellState(secrets ...string) *ShellState { return &ShellState{secrets: secrets} }

// Another returns a new ShellState with the same secrets.
func (s *ShellState) Another() *ShellState {
	if s == nil {
		return NewShellState()
	}
	return NewShellState(s.secrets...)
}

// maxLeavings is how much a command may leave, in bytes.
const maxLeavings = 1 << 20

// followed runs the command $1 in the shell itself, and at its end writes the folder, then
// what LEAVE says, and then an empty entry to what was its standard input; each ends in NUL.
// $2 is the program env, $3 a descriptor that commands do not use. All that comes before
// the command is one line, so that the shell's messages count the command's lines; what
// comes after it shows nothing, even where the command has switched tracing on. All is one line,
// which the shell has parsed when the command runs: a syntax error of the command, such as a
// quote that is not closed, does not reach it.
const followed = `eval "exec $3<&0"; exec </dev/null; ` +
	`eval '__parley_left() { [ -n "${__parley_done-}" ] || { __parley_done=1; ` +
	`command cd -P . && printf "%s\n.\0" "$PWD"; LEAVE; printf "\0"; } >&'"$3"'; }'; ` +
	`__parley_command=$1; set --; trap '{ __parley_left; } 2>/dev/null' EXIT; eval "$__parley_command"; ` +
	`{ __parley_status=$?; __parley_left; exit $__parley_status; } 2>/dev/null`

// What shells leave: bash prints its variables and functions itself, for others env does.
// A program for it costs as much as a short command does altogether.
var (
	followedBash  = strings.Replace(followed, "LEAVE", `builtin export -p; printf "\0"; builtin export -fp; printf "\0"`, 1)
	followedOther = strings.Replace(followed, "LEAVE", `'"'$2'"' -0`, 1)
)

// leavings is the file to which a command writes what it leaves.
type leavings struct {
	file  *os.File
	bash  bool     // bash writes it
	began []string // the environment that the command began with
}

func (l *leavings) close() { l.file.Close() }

// follow makes c, which runs command, write what it leaves. It gets that file as its standard
// input: the only way in that every kind of confinement keeps open. Nothing else can reach it.
func (s *ShellState) follow(c *sandbox.Command, command string) (*leavings, error) {
	file, err := nameless()
	if err != nil {
		return nil, err
	}
	left := &leavings{file, filepath.Base(c.Path) == "bash", c.Env}
	script, env, descriptor := followedBash, "", "147"
	if !left.bash {
		script, descriptor = followedOther, "9" // other shells know but one digit
		if env, err = exec.LookPath("env"); err != nil {
			file.Close()
			return nil, err
		}
	}
	c.Args = []string{"-c", script, filepath.Base(c.Path), command, env, descriptor}
	c.Stdin = file
	return left, nil
}

// read returns the folder that the command has left, and what it says of its environment; ok is false if
// that is not whole.
func (l *leavings) read() (folder string, said []string, ok bool) {
	data, err := io.ReadAll(io.NewSectionReader(l.file, 0, maxLeavings))
	entries := strings.Split(string(data), "\x00")
	if err != nil || len(entries) < 3 || !bytes.HasSuffix(data, []byte("\x00\x00")) {
		return "", nil, false
	}
	folder, ok = strings.CutSuffix(entries[0], "\n.")
	if !ok || !filepath.IsAbs(folder) {
		return "", nil, false
	}
	return folder, entries[1:], true
}

// keep takes over what a command has left, if that is whole, and reports whether it is. Base is the environment that
// knows nothing of commands: what is the program's own always comes from there.
func (s *ShellState) keep(base []string, left *leavings, confine sandbox.Policy) bool {
	folder, said, ok := left.read()
	if !ok {
		return false
	}
	source := environSource{said, left.began, base}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !source.equal(s.source) {
		s.environ = passedOn(Environ(left.environ(source), s.secrets...), base)
		s.source = source
	}
	s.folder, s.confine = folder, confine
	return true
}

// passedOn adds what base has although it looks like a secret: the user wants it passed.
func passedOn(environ, base []string) []string {
	for _, entry := range base {
		if name, value, _ := strings.Cut(entry, "="); isSecret(name, value) {
			environ = append(environ, entry)
		}
	}
	return environ
}

// environ returns the environment that the command has left, with secrets.
func (l *leavings) environ(source environSource) []string {
	environ := slices.Clone(source.said)
	if l.bash {
		environ = exported(source.said[0], source.said[1], source.began)
	}
	own := func(entry string) bool { return strings.HasPrefix(entry, "PARLEY_") }
	environ = slices.DeleteFunc(environ, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return own(entry) || slices.Contains([]string{"", "_", "SHLVL", "PWD"}, name)
	})
	for _, entry := range source.base {
		if own(entry) || strings.HasPrefix(entry, "SHLVL=") {
			environ = append(environ, entry)
		}
	}
	return environ
}

// enter makes dir the folder of the next command.
func (s *ShellState) enter(dir string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder = dir
}

// forget is the state as it was before the first command.
func (s *ShellState) forget() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder, s.environ, s.source = "", nil, environSource{}
}

// dir returns the folder that the last command has ended in; "" if none is known, or it is gone.
func (s *ShellState) dir() string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if info, err := os.Stat(s.folder); s.folder == "" || err != nil || !info.IsDir() {
		return ""
	}
	return s.folder
}

// environ returns the environment of a command with these limits. Variables that a command with
// other limits has left do not count: one that was confined could reach beyond its
// confinement through PATH, or what programs take from other variables.
func (e *Env) environ(confine sandbox.Policy) []string {
	return e.Caches.Add(e.shellEnviron(confine), confine)
}

func (e *Env) shellEnviron(confine sandbox.Policy) []string {
	s := e.Shell
	if s == nil {
		return e.Environ
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.environ == nil || s.confine.Level != sandbox.Full && !sameLimits(s.confine, confine) {
		return e.Environ
	}
	return s.environ
}
