package conform

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// An answer is what the model sends for one request.
type answer []part

// A part is a piece of an answer.
type part struct {
	text    string
	command string // a call of the tool that runs commands
	hold    bool   // nothing more is sent
}

// parseAnswer parses a section of a case.
func parseAnswer(section string) (answer, error) {
	var a answer
	for line := range strings.Lines(section) {
		word, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch word {
		case "":
		case "text":
			a = append(a, part{text: rest})
		case "flood":
			n, err := strconv.Atoi(rest)
			if err != nil {
				return nil, fmt.Errorf("flood: %w", err)
			}
			for _, text := range flood(n) {
				a = append(a, part{text: text})
			}
		case "command":
			a = append(a, part{command: rest})
		case "hold":
			a = append(a, part{hold: true})
		default:
			return nil, fmt.Errorf("unexpected line of the model %q", line)
		}
	}
	if len(a) == 0 {
		return nil, errors.New("an answer of the model is empty")
	}
	return a, nil
}

// flood returns n pieces of text.
func flood(n int) []string {
	pieces := make([]string, n)
	for i := range pieces {
		pieces[i] = fmt.Sprintf("%06d%s\n", i, strings.Repeat(" lorem", 100))
	}
	return pieces
}
