package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"parley.dev/parley/internal/model/offline"
)

// A script is a parsed transcript.
type script struct {
	name    string // the file's path
	env     []string
	args    string   // shell words
	models  [][]byte // for the first, second … start; the last is for all further ones
	files   []txtar.File
	steps   []step
	archive *txtar.Archive
	wire    int // index of the dialogue in archive.Files
	git     bool
	// confined is set if commands have to be confined.
	confined bool
}

// A verb is the action of a line of the dialogue.
type verb uint8

const (
	remark verb = iota
	send
	closeInput
	want
	wantPieces
	wantLater
	wantEnd
	passOver
	awaitFile
	touch
	has
	clean
	quiet
	signal
	exit
	restart
)

// A step is one line of the dialogue.
type step struct {
	line int // of the file
	verb verb
	text string // the argument of the verb
	code int    // of exit
	raw  string // the line as written
}

func parse(name string, data []byte) (*script, error) {
	s := &script{name: name, archive: txtar.Parse(data), wire: -1}
	line := bytes.Count(s.archive.Comment, []byte("\n"))
	for i, f := range s.archive.Files {
		line++
		if err := s.section(i, f, line); err != nil {
			return nil, err
		}
		line += bytes.Count(f.Data, []byte("\n"))
	}
	if s.wire < 0 {
		return nil, fmt.Errorf("%s: no section wire", name)
	}
	return s, nil
}

// section parses f, whose marker is on line at.
func (s *script) section(i int, f txtar.File, at int) error {
	folder, file, nested := strings.Cut(f.Name, "/")
	switch {
	case f.Name == "start":
		s.start(f.Data)
	case f.Name == "model":
		if _, err := offline.Parse(fmt.Sprintf("%s: model", s.name), f.Data); err != nil {
			return err
		}
		s.models = append(s.models, f.Data)
	case f.Name == "wire" && s.wire < 0:
		s.wire = i
		return s.dialogue(f.Data, at)
	case f.Name == "git":
		s.files = append(s.files, f)
		s.git = true
	case f.Name == "confined":
		s.confined = true
	case nested && (folder == "workspace" || folder == "home") && filepath.IsLocal(file):
		s.files = append(s.files, f)
	default:
		return fmt.Errorf("%s:%d: unexpected section %s", s.name, at, f.Name)
	}
	return nil
}

func (s *script) start(data []byte) {
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if setting, ok := strings.CutPrefix(line, "env "); ok && s.args == "" {
			s.env = append(s.env, strings.TrimSpace(setting))
			continue
		}
		s.args = strings.TrimSpace(s.args + " " + line)
	}
}

func (s *script) dialogue(data []byte, at int) error {
	for raw := range strings.Lines(string(data)) {
		at++
		st, err := parseStep(strings.TrimRight(raw, "\r\n"))
		if err != nil {
			return fmt.Errorf("%s:%d: %w", s.name, at, err)
		}
		st.line = at
		s.steps = append(s.steps, st)
	}
	return nil
}

func parseStep(raw string) (step, error) {
	st := step{raw: raw}
	word, rest, _ := strings.Cut(raw, " ")
	st.text = rest
	switch word {
	case ">", ">!":
		st.verb = send
		if raw == "> EOF" {
			st.verb = closeInput
		}
	case "<":
		st.verb = want
		if rest == "EOF" {
			st.verb = wantEnd
		}
	case "<+":
		st.verb = wantPieces
	case "<~":
		st.verb = wantLater
	case "~":
		st.verb = passOver
	case "wait":
		st.verb = awaitFile
		if !filepath.IsLocal(rest) {
			return st, errors.New("wait needs a file of the workspace")
		}
	case "touch":
		st.verb = touch
		if !filepath.IsLocal(rest) {
			return st, errors.New("touch needs a file of the workspace")
		}
	case "file":
		st.verb = has
		name, text, found := strings.Cut(rest, " ")
		if _, err := strconv.Unquote(text); !filepath.IsLocal(name) || !found || err != nil && text != "none" {
			return st, errors.New("file needs a file of the workspace, and its text in quotes, or none")
		}
	case "clean":
		st.verb = clean
	case "quiet":
		st.verb = quiet
	case "restart":
		st.verb = restart
	case "exit":
		st.verb = exit
		var err error
		if st.code, err = strconv.Atoi(rest); err != nil {
			return st, errors.New("exit needs a code")
		}
	case "!":
		st.verb = signal
		st.text = strings.TrimPrefix(rest, "signal ")
		if _, ok := signals[st.text]; !ok || st.text == rest {
			return st, fmt.Errorf("unknown action %q", rest)
		}
	default:
		if strings.TrimSpace(raw) != "" && raw[0] != '#' {
			return st, fmt.Errorf("unknown line %q", raw)
		}
	}
	return st, nil
}

// kills reports whether the transcript ends the program in a way that needs a process.
func (s *script) kills() bool {
	for _, st := range s.steps {
		if st.verb == signal && st.text == "KILL" {
			return true
		}
	}
	return false
}
