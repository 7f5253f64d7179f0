package hostprogram

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/internal/app/parts"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/cli/program"
)

var (
	fences = regexp.MustCompile("(?ms)^```[^\n]*\n(.*?)^```")
	inline = regexp.MustCompile("`(parley [^`\n]+)`")
	shown  = regexp.MustCompile(`(?m)(?:^|[|;&(] *|[A-Z_]+=\S* )(parley [^\s$][^$|;&<>#()\n]+)`)
	remark = regexp.MustCompile(`(?m)(?:^| )#.*$`)
	quoted = regexp.MustCompile(`'[^']*'|"[^"]*"`)
)

// TestDocumentedCommands: commands and flags that the documentation shows exist.
func TestDocumentedCommands(t *testing.T) {
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	old := cli.Linked
	t.Cleanup(func() { cli.Linked = old })
	cli.Linked = cli.Links{Parts: parts.All()}
	checked := 0
	for _, page := range append(pages, "../../../README.md", "../../../examples/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, block := range fences.FindAllStringSubmatch(string(text), -1) {
			for _, line := range shown.FindAllStringSubmatch(remark.ReplaceAllString(block[1], ""), -1) {
				lines = append(lines, line[1])
			}
		}
		for _, code := range inline.FindAllStringSubmatch(fences.ReplaceAllString(string(text), ""), -1) {
			lines = append(lines, code[1])
		}
		for _, line := range lines {
			checked++
			if problem := checkCommand(words(line)); problem != "" {
				t.Errorf("%s: %s: %s", filepath.Base(page), line, problem)
			}
		}
	}
	if checked < 100 {
		t.Errorf("the documentation shows %d commands", checked)
	}
}

// words returns the words after the name of the program, one for each quoted text.
func words(line string) []string {
	all := strings.Fields(quoted.ReplaceAllString(line, "QUOTED"))[1:]
	for i, word := range all {
		all[i] = strings.ReplaceAll(word, "QUOTED", "some text")
	}
	return all
}

// checkCommand returns what does not exist of a command line; "": everything does.
func checkCommand(words []string) string {
	cmd, rest, err := program.Find(words, commands...)
	if err != nil {
		return err.Error()
	}
	if cmd.DisableFlagParsing { // it reads them itself
		return ""
	}
	cmd.InitDefaultHelpFlag()
	for _, word := range rest {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-[("), "=")
		name = strings.TrimRight(name, "]),.…")
		switch {
		case word == "--":
			return ""
		case name == "":
		case strings.HasPrefix(strings.TrimLeft(word, "[("), "--"):
			if cmd.Flag(name) == nil {
				return "there is no flag --" + name
			}
		case strings.HasPrefix(word, "-"):
			if cmd.Flags().ShorthandLookup(name[:1]) == nil {
				return "there is no flag -" + name
			}
		}
	}
	return ""
}
