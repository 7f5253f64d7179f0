package shell

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/environ"
)

// A State is what a session's shell commands leave to the next one: the folder they end
// in, and the exported variables, without secrets. A command that was interrupted, replaced
// itself by another program, or exits with an EXIT trap of its own, leaves nothing: what
// was known before stays. A nil State knows nothing. It is safe for use by several goroutines.
type State struct {
	secrets []string

	mu      sync.Mutex
	folder  string         // "": none is known
	vars    []string       // nil: none is known
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

// NewState returns a State that keeps values with one of secrets in them out, as
// environ.ForChildren does.
func NewState(secrets ...string) *State { return &State{secrets: secrets} }

// Another returns a new State with the same secrets.
func (s *State) Another() *State {
	if s == nil {
		return NewState()
	}
	return NewState(s.secrets...)
}

// maxLeavings is how much a command may leave, in bytes.
const maxLeavings = 1 << 20

// followed and followedEnd, with what shells leave between them, run the command $1 in the shell itself, and at its end write the
// folder, then what is between, and then an empty entry to what was its standard input; each ends in NUL.
// $2 is the program env, $3 a descriptor that commands do not use. All that comes before
// the command is one line, so that the shell's messages count the command's lines; what
// comes after it shows nothing, even where the command has switched tracing on. All is one line,
// which the shell has parsed when the command runs: a syntax error of the command, such as a
// quote that is not closed, does not reach it.
const followed = `eval "exec $3<&0"; exec </dev/null; ` +
	`eval '__parley_left() { [ -n "${__parley_done-}" ] || { __parley_done=1; ` +
	`command cd -P . && printf "%s\n.\0" "$PWD"; `

const followedEnd = `; printf "\0"; } >&'"$3"'; }'; ` +
	`__parley_command=$1; set --; trap '{ __parley_left; } 2>/dev/null' EXIT; eval "$__parley_command"; ` +
	`{ __parley_status=$?; __parley_left; exit $__parley_status; } 2>/dev/null`

// What shells leave: bash prints its variables and functions itself, for others env does.
// A program for it costs as much as a short command does altogether.
const (
	followedBash  = followed + `builtin export -p; printf "\0"; builtin export -fp; printf "\0"` + followedEnd
	followedOther = followed + `'"'$2'"' -0` + followedEnd
)

// leavings is the file to which a command writes what it leaves.
type leavings struct {
	file  *os.File
	bash  bool      // bash writes it
	began []string  // the environment that the command began with
	git   *[]string // the environment with the settings of git that the next command has; nil: those that the command leaves
}

func (l *leavings) close() { l.file.Close() }

// follow makes c, which runs command, write what it leaves. It gets that file as its standard
// input: the only way in that every kind of confinement keeps open. Nothing else can reach it.
func (s *State) follow(c *sandbox.Command, command string) (*leavings, error) {
	file, err := nameless()
	if err != nil {
		return nil, err
	}
	left := &leavings{file: file, bash: filepath.Base(c.Path) == "bash", began: c.Env}
	script, env, descriptor := followedBash, "", "147"
	if !left.bash {
		script, descriptor = followedOther, "9" // other shells know but one digit
		if env, err = program.Find("env"); err != nil {
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
func (s *State) keep(base []string, left *leavings, confine sandbox.Policy) bool {
	folder, said, ok := left.read()
	if !ok {
		return false
	}
	source := environSource{said, left.began, base}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !source.equal(s.source) {
		s.vars = environ.KeepSecrets(environ.ForChildren(left.environ(source), s.secrets...), base)
		s.source = source
	}
	s.folder, s.confine = folder, confine
	return true
}

// environ returns the environment that the command has left, with secrets.
func (l *leavings) environ(source environSource) []string {
	vars := slices.Clone(source.said)
	if l.bash {
		vars = exported(source.said[0], source.said[1], source.began)
	}
	if l.git != nil {
		vars = environ.ReplaceGitSettings(vars, *l.git)
	}
	own := func(entry string) bool { return strings.HasPrefix(entry, "PARLEY_") }
	vars = slices.DeleteFunc(vars, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return own(entry) || slices.Contains([]string{"", "_", "SHLVL", "PWD"}, name)
	})
	for _, entry := range source.base {
		if own(entry) || strings.HasPrefix(entry, "SHLVL=") {
			vars = append(vars, entry)
		}
	}
	return vars
}

// Enter makes dir the folder of the next command.
func (s *State) Enter(dir string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder = dir
}

// Forget is the state as it was before the first command.
func (s *State) Forget() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folder, s.vars, s.source = "", nil, environSource{}
}

// Dir returns the folder that the last command has ended in; "" if none is known, or it is gone.
func (s *State) Dir() string {
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

// Environ returns the environment of a command with these limits: base, or what the last command has left of it.
// Variables that a command with other limits has left do not count: one that was confined could reach
// beyond its confinement through PATH, or what programs take from other variables.
func (s *State) Environ(base []string, confine sandbox.Policy) []string {
	if s == nil {
		return base
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.vars == nil || s.confine.Level != sandbox.Full && !s.confine.Equal(confine) {
		return base
	}
	return s.vars
}

// Left returns the environment that the last command has left; nil: none is known.
func (s *State) Left() []string {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vars
}
