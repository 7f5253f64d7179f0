package scaiflux

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestReadProjectConfig(t *testing.T) {
	dir := t.TempDir()
	c, err := ReadProjectConfig(dir)
	if err != nil || c.Model != "" || c.Unread != nil {
		t.Fatalf("without a file: %+v, %v", c, err)
	}
	writeFile(t, filepath.Join(dir, configName), `{
		// the project's model
		"model": "openai/gpt-4o", /* and limits */ "max_tokens": 4000, "max_iterations": 5,
		"gadgets": ["web"],
		"permissions": {"allow": ["bash:ls *"], "ask": ["bash"], "deny": ["bash:rm *"]},
		"permission_mode": "prompt", "mcp_servers": {"a": {}}, "hooks": [],
		"of_the_future": {"x": 1},
	}`)
	c, err = ReadProjectConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c.Model != "openai/gpt-4o" || *c.MaxTokens != 4000 || *c.MaxIterations != 5 || !slices.Equal(c.Gadgets, []string{"web"}) || !strings.Contains(string(c.Permissions), `"bash:rm *"`) {
		t.Errorf("%+v", c)
	}
	var unread []string
	for name := range c.Unread {
		if !knownElsewhere[name] {
			unread = append(unread, name)
		}
	}
	if d := cmp.Diff([]string{"of_the_future"}, unread); d != "" {
		t.Errorf("to be warned of: %s", d)
	}
	rules, _, unreadable := c.denyRules()
	if len(unreadable) > 0 || len(rules) != 1 || rules[0].String() != `"bash:rm *"` {
		t.Errorf("deny rules %v, %v", rules, unreadable)
	}
}

// TestBadProjectConfig: what cannot be understood is an error that names the file.
func TestBadProjectConfig(t *testing.T) {
	for _, text := range []string{`{`, `[]`, `{"model": 7}`, `{"model": "a", "model": "b"}`, `{"gadgets": "web"}`, "\xff"} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, configName), text)
		if _, err := ReadProjectConfig(dir); err == nil || !strings.Contains(err.Error(), configName) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestUnreadablePermissions: the rest of them still counts.
func TestUnreadablePermissions(t *testing.T) {
	for _, row := range []struct {
		permissions string
		rules       []string
		problems    int
	}{
		{`[]`, nil, 1},
		{`"strict"`, nil, 1},
		{`{"deny":"bash"}`, nil, 1},
		{`{"deny":[{"tool":"bash"},"bash:rm *","bash:"," "]}`, []string{"bash:rm *"}, 3},
		{`{"allow":[{"tool":"bash"}],"ask":7,"mode":{}}`, nil, 0},
		{`{"deny":null}`, nil, 0},
	} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, configName), `{"permissions": `+row.permissions+`}`)
		c, err := ReadProjectConfig(dir)
		if err != nil {
			t.Errorf("%s: %v", row.permissions, err)
			continue
		}
		if _, texts, problems := c.denyRules(); len(problems) != row.problems || !slices.Equal(texts, row.rules) {
			t.Errorf("%s: rules %q, problems %v", row.permissions, texts, problems)
		}
	}
}

// TestSaveModel: everything else in the file stays, comments and order included; only its
// white space may be put in order.
func TestSaveModel(t *testing.T) {
	rows := []struct{ before, after string }{
		{"", `{"model": "a/b"}`}, // no file
		{`{"model": "old"}`, `{"model": "a/b"}`},
		{"{\n\t// ours\n\t\"max_tokens\": 5, // small\n\t\"model\": \"old\",\n\t\"x\": [1, 2]\n}\n", "{ // ours\n \"max_tokens\": 5, // small\n \"model\": \"a/b\", \"x\": [1, 2], }"},
		{"{\n\t/* keep */\n\t\"of_the_future\": null,\n}\n", `{ /* keep */ "of_the_future": null, "model": "a/b", }`},
		{`{"z": 1, "a": {"b": "//"}}`, `{"z": 1, "a": {"b": "//"}, "model": "a/b"}`},
	}
	for _, row := range rows {
		dir := t.TempDir()
		file := filepath.Join(dir, configName)
		if row.before != "" {
			writeFile(t, file, row.before)
		}
		path, err := saveModel(dir, "a/b")
		if err != nil || path != file {
			t.Fatalf("%q: %s, %v", row.before, path, err)
		}
		after, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(words(row.after), words(string(after))); d != "" {
			t.Errorf("%q: %s", row.before, d)
		}
		if c, err := ReadProjectConfig(dir); err != nil || c.Model != "a/b" {
			t.Errorf("read back: %+v, %v", c, err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("left behind: %v", entries)
		}
	}
}

// words returns text without white space.
func words(text string) string { return strings.Join(strings.Fields(text), "") }

// TestSaveModelFails: a file that is not understood is left as it is.
func TestSaveModelFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, configName)
	for _, text := range []string{`{"model": `, `[]`, `7`} {
		writeFile(t, file, text)
		if _, err := saveModel(dir, "a/b"); err == nil {
			t.Errorf("%q was changed", text)
		}
		if after, _ := os.ReadFile(file); string(after) != text {
			t.Errorf("%q became %q", text, after)
		}
	}
}

func TestReadCredentials(t *testing.T) {
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	home := t.TempDir()
	if c, err := ReadCredentials(home, getenv); err != nil || c.APIKey != "" || c.BaseURL != "" {
		t.Fatalf("without a file: %+v, %v", c, err)
	}
	file := filepath.Join(home, ".scaiflux", "credentials.json")
	writeFile(t, file, `{"base_url":"https://grid","api_key":"sgk_live_x","model":"m","models":[{"id":"m","context_window":9,"max_output_tokens":8,"more":1}],"refresh_token":"y"}`)
	c, err := ReadCredentials(home, getenv)
	if err != nil || c.BaseURL != "https://grid" || c.APIKey != "sgk_live_x" || c.Model != "m" || len(c.Models) != 1 || c.Models[0].ContextWindow != 9 {
		t.Errorf("%+v, %v", c, err)
	}
	env["SCAIGRID_BASE_URL"] = "https://other"
	if c, err = ReadCredentials(home, getenv); err != nil || c.BaseURL != "https://other" {
		t.Errorf("%+v, %v", c, err)
	}
	writeFile(t, file, `{"api_key":"sgk_live_secret`)
	if c, err = ReadCredentials(home, getenv); err == nil || strings.Contains(err.Error(), "secret") || c.Lacking != err.Error() || c.BaseURL != "" {
		t.Errorf("a broken file: %v", err)
	}
}
