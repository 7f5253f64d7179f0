package definition

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/frontmatter"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/text"
)

// Source is whose an agent is.
type Source string

// The sources, the strongest first.
const (
	Project Source = "project"
	User    Source = "user"
	Bundled Source = "bundled"
)

// A Definition describes a kind of subagent.
type Definition struct {
	Name        string // one line
	Description string // one line
	Source      Source
	Path        string         // of its file; "" of one that is Bundled
	Tools       []string       // that it may use, by any name they have; nil: all
	Spawns      []string       // agents that it may spawn itself; "*": all; nil: none
	Backend     string         // that runs it; "": our own loop, or the caller's
	Models      []string       // to choose from, the best first; nil: the caller's
	Thinking    string         // "": the caller's
	Output      jsontext.Value // what its result has to be like; nil: any text
	Prompt      string         // Markdown
}

//go:embed bundled/*.md
var bundled embed.FS

// Places says where agents are looked for besides the program itself: folders, whether or
// not they exist, the strongest first.
type Places struct {
	Project []string
	User    []string
}

// Caps of what is read.
const (
	maxFile  = 256 << 10 // bytes
	maxFiles = 500       // of a folder
)

// Find reads all agents, sorted by name; of several with one name the strongest counts.
// What cannot be read has an error in errs, a sentence each, and is left out.
func Find(p Places) (agents []Definition, errs []string) {
	found := map[string]Definition{}
	take := func(a Definition, err error, where string) {
		if err != nil {
			errs = append(errs, fmt.Sprintf("%s: %v", where, err))
			return
		}
		if _, stronger := found[a.Name]; !stronger {
			found[a.Name] = a
		}
	}
	for _, folders := range []struct {
		source Source
		dirs   []string
	}{{Project, p.Project}, {User, p.User}} {
		for _, dir := range folders.dirs {
			for _, file := range filesIn(dir) {
				a, err := readFile(file)
				a.Source, a.Path = folders.source, file
				take(a, err, file)
			}
		}
	}
	for _, a := range ownAgents.Get() {
		take(a, nil, "")
	}
	for _, a := range found {
		agents = append(agents, a)
	}
	slices.SortFunc(agents, func(a, b Definition) int { return cmp.Compare(a.Name, b.Name) })
	return agents, errs
}

// ownAgents is those of the program. It panics if one is broken, and a test reads them all.
var ownAgents = lazy.Value[[]Definition]{New: func() (agents []Definition) {
	names, _ := fs.Glob(bundled, "bundled/*.md") // the pattern is right
	for _, name := range names {
		text, err := bundled.ReadFile(name)
		if err == nil {
			var a Definition
			a, err = parse(string(text), path.Base(name))
			a.Source = Bundled
			agents = append(agents, a)
		}
		if err != nil {
			panic(name + ": " + err.Error())
		}
	}
	return agents
}}

// filesIn returns the Markdown files of a folder, in order.
func filesIn(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // most of the folders do not exist
	}
	var files []string
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".md") && !strings.HasPrefix(entry.Name(), ".") && len(files) < maxFiles {
			files = append(files, filepath.Join(dir, entry.Name()))
		}
	}
	return files
}

// The errors of files that are none.
var (
	errNotFile = errors.New("it is not a regular file of its own: links are not followed")
	errTooLong = lazy.Value[error]{New: func() error { return fmt.Errorf("it has more than %d KiB", maxFile>>10) }}
	errNoText  = errors.New("it has no instructions behind its head")
)

// readFile reads an agent. What a link leads to would be shown to models, and is not read.
func readFile(name string) (Definition, error) {
	data, err := regular.ReadFileNoFollow(name, maxFile)
	if _, tooLarge := errors.AsType[*regular.TooLargeError](err); tooLarge {
		return Definition{}, errTooLong.Get()
	}
	switch {
	case errors.Is(err, regular.ErrNotRegular), errors.Is(err, regular.ErrSymlink):
		return Definition{}, errNotFile
	case err != nil:
		return Definition{}, err
	case len(data) == 0:
		return Definition{}, errNoText
	}
	return parse(strings.ToValidUTF8(string(data), "\uFFFD"), filepath.Base(name))
}

// parse reads the text of an agent's file.
func parse(content, file string) (Definition, error) {
	head, body := frontmatter.Split(content)
	fields, err := frontmatter.Parse(head)
	if err != nil {
		return Definition{}, err
	}
	a := Definition{
		Name:        text.OneLine(cmp.Or(word(fields["name"]), strings.TrimSuffix(file, ".md"))),
		Description: text.OneLine(word(fields["description"])),
		Tools:       list(fields["tools"]),
		Spawns:      list(fields["spawns"]),
		Backend:     word(fields["backend"]),
		Models:      list(fields["model"]),
		Thinking:    cmp.Or(word(fields["thinking-level"]), word(fields["thinkingLevel"]), word(fields["thinking"])),
		Prompt:      strings.TrimSpace(body),
	}
	if output, ok := fields["output"]; ok {
		if a.Output, err = json.Marshal(output); err != nil {
			return Definition{}, fmt.Errorf("its output is no JSON: %w", err)
		}
	}
	if a.Prompt == "" {
		return Definition{}, errNoText
	}
	return a, nil
}

func word(field any) string {
	text, _ := field.(string)
	return strings.TrimSpace(text)
}

// list reads a list, or a text with commas; true is all.
func list(field any) []string {
	var items []string
	switch field := field.(type) {
	case bool:
		if field {
			return []string{"*"}
		}
	case string:
		for item := range strings.SplitSeq(field, ",") {
			items = append(items, strings.TrimSpace(item))
		}
	case []any:
		for _, item := range field {
			items = append(items, word(item))
		}
	}
	return slices.DeleteFunc(items, func(item string) bool { return item == "" })
}
