// Command codexschema keeps the dialect codex at the schema of a release of the program of that name.
//
//	codexschema                  writes the Go types and the method table from the schema that is checked in
//	codexschema -fetch VERSION   packs that release from npm first, and checks its schema in
//	codexschema -drift           prints what the newest release adds (+) and lacks (-)
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root := flag.String("root", "..", "the folder of the repository")
	version := flag.String("fetch", "", "the release whose schema is checked in")
	compare := flag.Bool("drift", false, "compare with the newest release")
	flag.Parse()
	if err := do(*root, *version, *compare); err != nil {
		fmt.Fprintln(os.Stderr, "codexschema:", err)
		os.Exit(1)
	}
}

func do(root, version string, compare bool) error {
	dir := filepath.Join(root, "internal/dialect/codex")
	path := filepath.Join(dir, "codextest/schema.json")
	if version != "" {
		data, err := fetch(version)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	doc, err := parse(data)
	if err != nil {
		return err
	}
	lines := doc.lines()
	if compare {
		return printDrift(doc.Version, lines)
	}
	old, _ := filepath.Glob(filepath.Join(root, "schema/codex-*.txt"))
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	text := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(root, "schema", "codex-"+doc.Version+".txt"), []byte(text), 0o644); err != nil {
		return err
	}
	rows, err := readRows(filepath.Join(dir, "methods.txt"))
	if err != nil {
		return err
	}
	spoken, err := publish(data, rows)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "schema", "codex.schema.json"), spoken, 0o644); err != nil {
		return err
	}
	return doc.write(dir, rows)
}

// parse reads the schema that is checked in.
func parse(data []byte) (*document, error) {
	doc := &document{}
	if err := json.Unmarshal(data, doc); err != nil {
		return nil, err
	}
	for name, def := range doc.Defs {
		def.mark(name, doc.Null)
	}
	return doc, nil
}

// printDrift prints where the newest release differs.
func printDrift(version string, lines []string) error {
	latest, err := newest()
	if err != nil {
		return err
	}
	data, err := fetch(latest)
	if err != nil {
		return err
	}
	doc, err := parse(data)
	if err != nil {
		return err
	}
	changes := drift(lines, doc.lines())
	fmt.Printf("%s -> %s: %d lines differ, of %d\n", version, latest, len(changes), len(lines))
	for _, line := range changes {
		fmt.Println(line)
	}
	return nil
}
