package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// npmPackage is the package that has the program with the schema.
const npmPackage = "@openai/codex"

// fetch packs a version from npm and returns its schema, without the sentences.
func fetch(version string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "codexschema")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	platform := runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	if _, err := run(dir, "npm", "pack", "--silent", npmPackage+"@"+version+"-"+platform); err != nil {
		return nil, err
	}
	archives, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if len(archives) != 1 {
		return nil, fmt.Errorf("npm pack left %d archives", len(archives))
	}
	if _, err := run(dir, "tar", "-xzf", archives[0]); err != nil {
		return nil, err
	}
	programs, _ := filepath.Glob(filepath.Join(dir, "package/vendor/*/bin/codex"))
	if len(programs) != 1 {
		return nil, fmt.Errorf("the package has %d programs", len(programs))
	}
	all, err := generate(dir, programs[0], "--experimental")
	if err != nil {
		return nil, err
	}
	stable, err := generate(dir, programs[0])
	if err != nil {
		return nil, err
	}
	types, err := generateTypes(dir, programs[0])
	if err != nil {
		return nil, err
	}
	return merge(version, all, stable, nullMembers(types))
}

// generate runs the program's own generator.
func generate(dir, program string, flags ...string) (map[string]any, error) {
	out, err := os.MkdirTemp(dir, "schema")
	if err != nil {
		return nil, err
	}
	args := append([]string{"app-server", "generate-json-schema", "--out", out}, flags...)
	if _, err := run(dir, program, args...); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(out, "codex_app_server_protocol.schemas.json"))
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	return doc, json.Unmarshal(data, &doc)
}

// generateTypes returns the program's types of TypeScript, those of its newer interface last.
func generateTypes(dir, program string) (string, error) {
	out, err := os.MkdirTemp(dir, "types")
	if err != nil {
		return "", err
	}
	if _, err := run(dir, program, "app-server", "generate-ts", "--experimental", "--out", out); err != nil {
		return "", err
	}
	var all strings.Builder
	for _, pattern := range []string{"*.ts", "v2/*.ts"} {
		names, _ := filepath.Glob(filepath.Join(out, pattern))
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return "", err
			}
			all.Write(data)
		}
	}
	return all.String(), nil
}

// run runs a command in dir, which is its home as well.
func run(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CODEX_HOME="+dir)
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return string(out), err
}

// merge returns the document that is checked in: one level of definitions, no sentences, what is experimental, and what is null without
// a value.
func merge(version string, all, stable map[string]any, null map[string][]string) ([]byte, error) {
	defs := definitions(all)
	for _, def := range defs {
		strip(def)
	}
	methods, members := difference(defs, definitions(stable))
	doc := map[string]any{
		"$comment":       npmPackage + " " + version + " (Apache-2.0), app-server generate-json-schema --experimental; sentences are left out",
		"x-version":      version,
		"x-experimental": map[string]any{"methods": methods, "members": members},
		"x-results":      resultNames(defs),
		"x-null":         null,
		"definitions":    defs,
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	flat := strings.ReplaceAll(string(data), `"#/definitions/v2/`, `"#/definitions/`)
	return append([]byte(strings.ReplaceAll(flat, `},"`, "},\n\"")), '\n'), nil
}

// definitions returns the definitions of both levels on one.
func definitions(doc map[string]any) map[string]any {
	defs := maps.Clone(doc["definitions"].(map[string]any))
	newer, _ := defs["v2"].(map[string]any)
	delete(defs, "v2")
	maps.Copy(defs, newer)
	return defs
}

// strip removes what does not constrain a value.
func strip(node any) {
	switch node := node.(type) {
	case map[string]any:
		if _, text := node["description"].(string); text {
			delete(node, "description")
		}
		delete(node, "$schema")
		for _, child := range node {
			strip(child)
		}
	case []any:
		for _, child := range node {
			strip(child)
		}
	}
}

// difference returns the methods, and by method the members of params, that only the experimental schema has.
func difference(all, stable map[string]any) (methods []string, members map[string][]string) {
	params := func(defs map[string]any) map[string]map[string]any {
		found := map[string]map[string]any{}
		for _, variant := range defs["ClientRequest"].(map[string]any)["oneOf"].([]any) {
			properties := variant.(map[string]any)["properties"].(map[string]any)
			method := properties["method"].(map[string]any)["enum"].([]any)[0].(string)
			found[method] = map[string]any{}
			p, _ := properties["params"].(map[string]any)
			if ref, ok := p["$ref"].(string); ok {
				def := defs[ref[strings.LastIndexByte(ref, '/')+1:]].(map[string]any)
				found[method], _ = def["properties"].(map[string]any)
			}
		}
		return found
	}
	members = map[string][]string{}
	known := params(stable)
	for method, own := range params(all) {
		if _, ok := known[method]; !ok {
			methods = append(methods, method)
			continue
		}
		for member := range own {
			if _, ok := known[method][member]; !ok {
				members[method] = append(members[method], member)
			}
		}
		slices.Sort(members[method])
	}
	slices.Sort(methods)
	return methods, members
}

// newest returns the version that npm calls the latest.
func newest() (string, error) {
	out, err := run(os.TempDir(), "npm", "view", npmPackage, "dist-tags.latest")
	return strings.TrimSpace(out), err
}

// resultNames returns the definitions of the results of requests to either side, by method.
func resultNames(defs map[string]any) map[string]string {
	names := map[string]string{}
	data, err := json.Marshal(map[string]any{"definitions": defs})
	if err != nil {
		panic("codexschema: " + err.Error()) // it was read
	}
	doc, err := parse([]byte(strings.ReplaceAll(string(data), `"#/definitions/v2/`, `"#/definitions/`)))
	if err != nil {
		panic("codexschema: " + err.Error())
	}
	for _, union := range []string{"ClientRequest", "ServerRequest"} {
		for method, c := range doc.calls(union) {
			if c.result != "" {
				names[method] = c.result
			}
		}
	}
	return names
}
