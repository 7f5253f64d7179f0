package acp

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/acp/acptest"
	"parley.dev/parley/internal/transcript"
)

// entryFolder is the entry for the registry of agents from which editors install them; docs/release.md.
const entryFolder = "../../docs/registry/parley"

// An entry is agent.json. It must not have other members.
type entry struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Version      string       `json:"version"`
	Description  string       `json:"description"`
	Repository   string       `json:"repository"`
	Website      string       `json:"website"`
	Authors      []string     `json:"authors"`
	License      string       `json:"license"`
	Distribution distribution `json:"distribution"`
}

// A distribution is where the programs are, by platform.
type distribution struct {
	Binary map[string]program `json:"binary"`
}

// A program is one of a platform, not packed.
type program struct {
	Archive string            `json:"archive"`
	SHA256  string            `json:"sha256,omitempty"`
	Cmd     string            `json:"cmd"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// platforms are ours, by the name that the registry has for them.
var platforms = map[string]string{
	"darwin-aarch64": "darwin-arm64", "darwin-x86_64": "darwin-amd64", "linux-aarch64": "linux-arm64", "linux-x86_64": "linux-amd64",
}

var (
	entryID      = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	entryVersion = regexp.MustCompile(`^\d+\.\d+\.\d+$`)
	entrySum     = regexp.MustCompile(`^([0-9a-f]{64})?$`)
)

// wrong returns which rules of the registry an entry in a folder breaks.
func (e entry) wrong(folder string) (all []string) {
	check := func(ok bool, format string, args ...any) {
		if !ok {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	check(entryID.MatchString(e.ID) && e.ID == folder, "id %q is not the name of its folder, in lower case", e.ID)
	check(e.Name != "" && e.Description != "" && e.License != "", "name, description or license is empty")
	check(entryVersion.MatchString(e.Version), "version %q is not of three numbers", e.Version)
	for _, url := range []string{e.Repository, e.Website} {
		check(strings.HasPrefix(url, "https://"), "%q is no address", url)
	}
	check(len(e.Distribution.Binary) == len(platforms), "there are programs for %d platforms, not %d", len(e.Distribution.Binary), len(platforms))
	for _, name := range slices.Sorted(maps.Keys(e.Distribution.Binary)) {
		p, file := e.Distribution.Binary[name], "parley-"+e.Version+"-"+platforms[name]
		check(platforms[name] != "", "%s is no platform of a release", name)
		check(strings.HasPrefix(p.Archive, "https://") && strings.Contains(p.Archive, "/v"+e.Version+"/"), "%s: %q is not the address of this version", name, p.Archive)
		check(path.Base(p.Archive) == file && p.Cmd == "./"+file, "%s: %q, started as %q, is not %s", name, p.Archive, p.Cmd, file)
		check(slices.Equal(p.Args, []string{"acp"}), "%s: the arguments are %q", name, p.Args)
		check(entrySum.MatchString(p.SHA256), "%s: the checksum is %q", name, p.SHA256)
	}
	return all
}

// wrongIcon returns what is wrong with an icon: it has to be a square of 16, in the colour of the text around it.
func wrongIcon(svg string) (all []string) {
	themed, first := false, true
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return append(all, err.Error())
		}
		if _, ok := token.(xml.Comment); ok {
			all = append(all, "a comment")
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attributes := map[string]string{}
		for _, a := range element.Attr {
			attributes[a.Name.Local] = a.Value
		}
		if first && (element.Name.Local != "svg" || attributes["width"] != "16" || attributes["height"] != "16" || attributes["viewBox"] != "0 0 16 16") {
			all = append(all, "not an svg of 16x16")
		}
		first = false
		if element.Name.Local == "style" || attributes["style"] != "" {
			all = append(all, "a style")
		}
		for _, name := range []string{"fill", "stroke"} {
			switch value := attributes[name]; value {
			case "currentColor":
				themed = true
			case "", "none", "inherit":
			default:
				all = append(all, name+" is "+value)
			}
		}
	}
	if !themed {
		all = append(all, "nothing has currentColor")
	}
	return all
}

// readEntry returns the entry that is checked in.
func readEntry(t *testing.T) (e entry) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(entryFolder, "agent.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &e, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRegistryEntry holds the entry to the rules of the registry, and to the program: its version and its answer when it is
// started with the arguments of the entry.
func TestRegistryEntry(t *testing.T) {
	t.Parallel()
	e := readEntry(t)
	for _, problem := range e.wrong(filepath.Base(entryFolder)) {
		t.Error(problem)
	}
	icon, err := os.ReadFile(filepath.Join(entryFolder, "icon.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range wrongIcon(string(icon)) {
		t.Errorf("icon.svg: %s", problem)
	}

	cmd := exec.CommandContext(t.Context(), transcript.Build(t), e.Distribution.Binary["linux-x86_64"].Args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PARLEY_MODEL=offline/demo"}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`
	cmd.Stdin = strings.NewReader(initialize + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	official, err := acptest.NewOfficial(acptest.V1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(official.FromClient([]byte(initialize)), official.FromAgent(out)); err != nil {
		t.Error(err)
	}
	var answer struct {
		Result struct {
			AgentInfo struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"agentInfo"`
		} `json:"result"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatal(err)
	}
	if got := answer.Result.AgentInfo; got.Name != e.ID || got.Version != e.Version {
		t.Errorf("the program is %s %s, the entry is for %s %s", got.Name, got.Version, e.ID, e.Version)
	}
}

// TestRegistryRules breaks each rule.
func TestRegistryRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		spoil func(e *entry)
		want  string
	}{
		{"id", func(e *entry) { e.ID = "Parley" }, "is not the name of its folder"},
		{"version", func(e *entry) { e.Version = "1.0" }, "is not of three numbers"},
		{"license", func(e *entry) { e.License = "" }, "license is empty"},
		{"website", func(e *entry) { e.Website = "parley.dev" }, "is no address"},
		{"a platform is missing", func(e *entry) { delete(e.Distribution.Binary, "linux-x86_64") }, "not 4"},
		{"an unknown platform", func(e *entry) { e.Distribution.Binary["plan9-x86_64"] = program{} }, "is no platform"},
	} {
		e := readEntry(t)
		test.spoil(&e)
		if got := strings.Join(e.wrong("parley"), "\n"); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	for _, test := range []struct {
		name  string
		spoil func(p *program)
		want  string
	}{
		{"latest", func(p *program) { p.Archive = "https://parley.dev/releases/latest/parley-0.2.0-linux-amd64" }, "is not the address of this version"},
		{"another file", func(p *program) { p.Cmd = "./parley" }, "is not parley-0.2.0-linux-amd64"},
		{"another command", func(p *program) { p.Args = nil }, "the arguments are"},
		{"a checksum", func(p *program) { p.SHA256 = "abc" }, "the checksum is"},
	} {
		e := readEntry(t)
		p := e.Distribution.Binary["linux-x86_64"]
		test.spoil(&p)
		e.Distribution.Binary["linux-x86_64"] = p
		if got := strings.Join(e.wrong("parley"), "\n"); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	for _, test := range []struct{ icon, want string }{
		{`<svg width="32" height="32" viewBox="0 0 32 32" fill="currentColor"/>`, "not an svg of 16x16"},
		{`<svg width="16" height="16" viewBox="0 0 16 16" fill="#fff"/>`, "fill is #fff"},
		{`<svg width="16" height="16" viewBox="0 0 16 16"><!-- x --><path stroke="currentColor"/></svg>`, "a comment"},
		{`<svg width="16" height="16" viewBox="0 0 16 16" fill="none"/>`, "nothing has currentColor"},
		{`<svg width="16"`, "EOF"},
	} {
		if got := strings.Join(wrongIcon(test.icon), "\n"); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.icon, got, test.want)
		}
	}
}
