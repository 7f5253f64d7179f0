package scripted

import (
	"path"
	"regexp"
	"strings"
)

// This file contains what models read in results.

var (
	failure      = regexp.MustCompile(`^(cannot |could not |unknown tool|the input |your answer |/?[\w/.: -]*: (not found|No such file))|\[exit code [1-9]|\[timed out|command not found`)
	unknownTool  = regexp.MustCompile(`(?i)^(unknown tool|there is no tool)`)
	badArguments = regexp.MustCompile(`(?i)does not fit the schema|known: |is missing|is not a JSON object`)
	timedOut     = regexp.MustCompile(`(?i)timed out`)
	wholeOutput  = regexp.MustCompile(`whole output is in (\S+?):`)
	goOn         = regexp.MustCompile(`go on with offset (\d+)`)
	readFirst    = regexp.MustCompile(`(?i)read it (first|again)|not read|has changed`)
	inParts      = regexp.MustCompile(`(?i)in parts|smaller`)
	doNotRepeat  = regexp.MustCompile(`(?i)same call|do not repeat`)
	keptOpen     = regexp.MustCompile(`(?i)background|was ended|were ended|in one command|left behind`)
	lineNumbers  = regexp.MustCompile(`(?m)^ *\d+\t`)
	matchedLine  = regexp.MustCompile(`(?m)^(?:[^:\n]*:)?(\d+)[:\t]`)
	notes        = regexp.MustCompile(`(?m)^\[[^\]\n]*\]\n?`)
)

// withoutNumbers returns a text without the line numbers and the carriage returns that reading may show.
func withoutNumbers(text string) string {
	return strings.ReplaceAll(lineNumbers.ReplaceAllString(text, ""), "\r", "")
}

// content returns the text of a file from the result of reading it.
func content(result string) string {
	return notes.ReplaceAllString(withoutNumbers(result), "")
}

// suggestion returns the file that an error or a list of files has in place of the one that does not exist:
// the one with the same name in another folder, else the first that begins alike; "" if there is none.
func suggestion(text, missing string) string {
	extension := path.Ext(missing)
	stem := strings.TrimSuffix(path.Base(missing), extension)
	names := regexp.MustCompile(`[\w./-]*\w` + regexp.QuoteMeta(extension) + `\b`)
	alike := ""
	for _, name := range names.FindAllString(text, -1) {
		if name = strings.TrimPrefix(name, "./"); name == missing {
			continue
		}
		if !strings.Contains(name, "/") { // beside the one that is missing
			name = path.Join(path.Dir(missing), name)
		}
		switch {
		case name == missing:
		case path.Base(name) == path.Base(missing):
			return name
		case alike == "" && strings.HasPrefix(path.Base(name), stem[:min(beginning, len(stem))]):
			alike = name
		}
	}
	return alike
}

// beginning is how many letters names have in common that begin alike.
const beginning = 4
