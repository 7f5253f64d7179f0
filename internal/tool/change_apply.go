package tool

import (
	"errors"
	"fmt"
	"strings"
)

// ApplyDiff returns what the diff of a FileChange makes of the text that it is from. It is strict: counts and positions
// must be right.
func ApplyDiff(text, diff string) (string, error) {
	lines := strings.SplitAfter(diff, "\n")
	if len(lines) < 2 || !strings.HasPrefix(lines[0], "--- ") || !strings.HasPrefix(lines[1], "+++ ") {
		return "", errors.New("the diff has no header")
	}
	a := diffApplier{old: strings.SplitAfter(text, "\n")}
	for rest := lines[2:]; len(rest) > 0 && rest[0] != ""; {
		var err error
		if rest, err = a.hunk(rest); err != nil {
			return "", err
		}
	}
	a.copyTo(len(a.old))
	return a.out.String(), nil
}

// A diffApplier goes along the lines of the old text.
type diffApplier struct {
	old []string
	at  int // lines of old that are done
	out strings.Builder
}

func (a *diffApplier) copyTo(line int) {
	for ; a.at < min(line, len(a.old)); a.at++ {
		a.out.WriteString(a.old[a.at])
	}
}

// hunk applies the hunk that lines begin with, and returns the lines after it.
func (a *diffApplier) hunk(lines []string) (rest []string, err error) {
	var from, fromLen, to, toLen int
	if _, err := fmt.Sscanf(lines[0], "@@ -%d,%d +%d,%d @@\n", &from, &fromLen, &to, &toLen); err != nil {
		return nil, fmt.Errorf("hunk %q: %w", lines[0], err)
	}
	if fromLen == 0 {
		from++
	}
	a.copyTo(from - 1)
	for lines = lines[1:]; len(lines) > 0 && lines[0] != "" && lines[0][0] != '@'; lines = lines[1:] {
		mark, line := lines[0][0], lines[0][1:]
		if len(lines) > 1 && strings.HasPrefix(lines[1], `\`) {
			line = strings.TrimSuffix(line, "\n")
		}
		if mark == '\\' {
			continue
		}
		if mark != '-' {
			toLen--
			a.out.WriteString(line)
		}
		if mark != '+' {
			fromLen--
			if a.at >= len(a.old) || a.old[a.at] != line {
				return nil, fmt.Errorf("line %d is not %q", a.at+1, line)
			}
			a.at++
		}
	}
	if fromLen != 0 || toLen != 0 {
		return nil, errors.New("a hunk of the diff has other lines than it says")
	}
	return lines, nil
}
