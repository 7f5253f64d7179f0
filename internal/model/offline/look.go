package offline

import (
	"regexp"
	"strings"
)

// languages are the names of kinds of files in prompts.
var languages = map[string]string{
	"go": "*.go", "golang": "*.go", "python": "*.py", "rust": "*.rs", "javascript": "*.js", "js": "*.js",
	"typescript": "*.ts", "ts": "*.ts", "markdown": "*.md", "md": "*.md", "json": "*.json", "yaml": "*.yaml",
	"html": "*.html", "css": "*.css", "c": "*.c", "java": "*.java", "ruby": "*.rb", "shell": "*.sh",
	"text": "*.txt", "txt": "*.txt", "test": "*_test.go",
}

var (
	beforeFiles = once(`(?i)(\S+)\s+files\b`)
	namedFile   = once(`(?i)\bfiles?\s+(?:named|called)\s+(\S+)`)
	someGlob    = once(`[^\s"'` + "`" + `]*\*[^\s"'` + "`" + `]*`)
)

// list lists files: of one kind if the prompt names one, in one folder if it names one.
func (t turn) list(groups []string) reply {
	dir := place(groups[1:])
	pattern := "*"
	if glob := someGlob().FindString(t.prompt); glob != "" {
		pattern = strings.TrimPrefix(glob, "**/")
	} else if m := namedFile().FindStringSubmatch(t.prompt); m != nil {
		pattern = tidy(m[1])
	} else if m := beforeFiles().FindStringSubmatch(t.prompt); m != nil {
		if known, ok := languages[strings.ToLower(strings.TrimPrefix(m[1], "."))]; ok {
			pattern = known
		}
	}
	if len(t.rounds) == 0 {
		return t.do(t.tools.find(pattern, dir), "I look for files that match %s in %s.", pattern, folder(dir))
	}
	return reportFiles(t.rounds[0].result)
}

// search looks for a text in files.
func (t turn) search(groups []string) reply {
	dir := place(groups[2:])
	text := groups[1]
	for _, filler := range []string{"all ", "every ", "the ", "word ", "text ", "uses of ", "occurrences of "} {
		text = strings.TrimPrefix(text, filler)
	}
	text = strings.TrimSuffix(tidy(text), " comments")
	if text == "TODOs" {
		text = "TODO"
	}
	if len(t.rounds) == 0 {
		return t.do(t.tools.grep(regexp.QuoteMeta(text), dir), "I search for %q in %s.", text, folder(dir))
	}
	return reportMatches(text, t.rounds[0].result)
}

// show reads a file.
func (t turn) show(groups []string) reply {
	file := tidy(groups[1])
	if len(t.rounds) == 0 {
		return t.do(t.tools.read(file), "I read %s.", file)
	}
	return reportFile(file, t.rounds[0].result)
}

// explain describes a file by what can be counted in it, or the workspace by its files.
func (t turn) explain(groups []string) reply {
	file := tidy(groups[1])
	if strings.ContainsAny(file, "./") && file != "." {
		if len(t.rounds) == 0 {
			return t.do(t.tools.read(file), "I read %s and tell what I can count; understanding is not among my rules.", file)
		}
		return reportOutline(file, t.rounds[0].result)
	}
	if len(t.rounds) == 0 {
		return t.do(t.tools.find("*", "."), "I list the files and tell what I can count; understanding is not among my rules.")
	}
	return reportKinds(t.rounds[0].result)
}

// command runs a shell command: what stands in backquotes, or after a prompt sign.
func (t turn) command(groups []string) reply { return t.runs(strings.TrimSpace(firstOf(groups[1:]))) }

// test runs the tests.
func (t turn) test([]string) reply { return t.runs(testCommand) }

// unquoted answers a request to run words that may be a command or a description of one.
func (t turn) unquoted([]string) reply {
	return say("I run only a command in backquotes, such as run `go vet ./...`, and the tests. %s", abilities)
}

func (t turn) runs(command string) reply {
	if len(t.rounds) == 0 {
		return t.do(t.tools.run(command), "I run `%s`.", command)
	}
	return reportRun(command, t.rounds[0].result)
}

// firstOf returns the first group that captured something.
func firstOf(groups []string) string {
	for _, g := range groups {
		if g != "" {
			return g
		}
	}
	return ""
}

// place returns the folder that a group captured; "." if none did.
func place(groups []string) string {
	if dir := tidy(firstOf(groups)); dir != "" {
		return dir
	}
	return "."
}

func folder(dir string) string {
	if dir == "." {
		return "the workspace"
	}
	return dir
}
