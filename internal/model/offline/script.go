package offline

import (
	"fmt"
	"regexp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/regular"
)

// A Script is the answers of a model, written down. It does not change once parsed.
type Script struct {
	name    string // for errors: the file's path
	answers []*answer
}

// An answer is what one model call gets.
type answer struct {
	when  *regexp.Regexp // requests whose last message does not match skip the answer; nil: it is for any
	steps []step
	calls bool         // it asks for tools
	stop  model.Stop   // "": by calls
	usage *model.Usage // nil: an estimate
	ended ending
}

// ending is how far an answer has come while it is parsed.
type ending uint8

const (
	open   ending = iota // anything may follow
	called               // usage, stop or further calls
	closed               // usage
	over                 // nothing
)

// A step is one line of an answer at work. It returns when the line is said.
type step func(s *speech) error

// maxScript is the greatest size of a script, in bytes.
const maxScript = 64 << 20

// Load reads a script from a file.
func Load(path string) (*Script, error) {
	text, err := regular.ReadFile(path, maxScript)
	if err != nil {
		return nil, fmt.Errorf("offline script: %w", err)
	}
	return Parse(path, text)
}
