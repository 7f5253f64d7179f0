package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCompare: a bundle that lacks a file, has another one or other content is not the one that is checked in.
func TestCompare(t *testing.T) {
	files := map[string][]byte{"app.js": []byte("1"), "app.css": []byte("2")}
	for name, test := range map[string]struct {
		files   map[string]string
		problem string
	}{
		"same":    {map[string]string{"app.js": "1", "app.css": "2"}, ""},
		"changed": {map[string]string{"app.js": "1", "app.css": "3"}, "app.css is not what web/ gives"},
		"missing": {map[string]string{"app.js": "1"}, "no such file"},
		"another": {map[string]string{"app.js": "1", "app.css": "2", "chunk.js": ""}, "chunk.js is not part of the bundle"},
	} {
		dir := t.TempDir()
		for file, data := range maps.All(test.files) {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := compare(dir, files)
		if (err == nil) != (test.problem == "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBundle: imports and styles come into the bundle, inline scripts do not come about, and a mistake is reported with its place.
func TestBundle(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("index.html", "<!doctype html>")
	write("src/app.css", "p { color: red; }")
	write("src/main.tsx", `import "./app.css"; import { used } from "some"; console.log(used);`)
	write("node_modules/some/package.json", `{"name":"some","version":"1.2.3","license":"MIT","main":"index.js"}`)
	write("node_modules/some/index.js", `export const used = "used", unused = "not there";`)
	if _, err := bundle(dir); err == nil || !strings.Contains(err.Error(), "some has no licence") {
		t.Errorf("a package without a licence: %v", err)
	}
	write("node_modules/some/LICENSE", "Do as you like.")
	files, err := bundle(dir)
	if err != nil {
		t.Fatal(err)
	}
	if js := string(files["app.js"]); !strings.Contains(js, "used") || strings.Contains(js, "not there") {
		t.Errorf("app.js: %s", js)
	}
	if css := string(files["app.css"]); !strings.Contains(css, "p{color:red}") {
		t.Errorf("app.css: %s", css)
	}
	want := bundledPackage{"some", "1.2.3", "MIT", "Do as you like."}
	var got []bundledPackage
	if err := json.Unmarshal(files[packagesName], &got); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("packages: %+v, %v", got, err)
	}
	write("src/main.tsx", "let a =")
	if _, err := bundle(dir); err == nil || !strings.Contains(err.Error(), "src/main.tsx:1:") {
		t.Errorf("a mistake: %v", err)
	}
}
