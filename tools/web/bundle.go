package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// packagesName is the file with the packages in the bundle, and their licences.
const packagesName = "packages.json"

// bundle returns the files of the page by name.
func bundle(from string) (map[string][]byte, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(from, "index.html"))
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: from,
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: "src/main.tsx", OutputPath: "app"},
		},
		Outdir: filepath.Join(from, "dist"), // of names only: nothing is written
		Bundle: true, Format: api.FormatESModule, Platform: api.PlatformBrowser, Target: api.ES2022, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
		JSX: api.JSXAutomatic, JSXImportSource: "preact",
		// The client is bundled from its sources. Its generated declarations are types only, so they need not exist.
		Alias:       map[string]string{"parley-client": filepath.Join(from, "../sdk/typescript/src/browser.ts")},
		TsconfigRaw: `{"compilerOptions":{"verbatimModuleSyntax":true,"useDefineForClassFields":true}}`,
		Metafile:    true, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		lines := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, errors.New(strings.TrimSpace(strings.Join(lines, "")))
	}
	files := map[string][]byte{"index.html": page}
	for _, out := range result.OutputFiles {
		files[filepath.Base(out.Path)] = out.Contents
	}
	for _, name := range []string{"app.js", "app.css"} {
		if files[name] == nil {
			return nil, fmt.Errorf("the bundle has no %s", name)
		}
	}
	files[packagesName], err = packages(from, result.Metafile)
	return files, err
}

// A bundledPackage is a package that a bundle has code of.
type bundledPackage struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	License string `json:"license"` // an SPDX expression
	Text    string `json:"text"`    // of the licence
}

// packages returns the list of the packages in a bundle.
func packages(from, metafile string) ([]byte, error) {
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	folders := map[string]bool{}
	for path := range meta.Inputs {
		if at := strings.LastIndex(path, "node_modules/"); at >= 0 {
			at += len("node_modules/")
			folders[path[:at]+packageOf(path[at:])] = true
		}
	}
	all := []bundledPackage{}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		p, err := readPackage(filepath.Join(from, folder))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(all)
	return text.Bytes(), err
}

func readPackage(folder string) (p bundledPackage, err error) {
	data, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return p, fmt.Errorf("%s: package.json: %w", folder, err)
	}
	found, err := filepath.Glob(filepath.Join(folder, "[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))
	if err != nil || len(found) == 0 || p.License == "" {
		return p, fmt.Errorf("the package %s has no licence", p.Name)
	}
	text, err := os.ReadFile(found[0])
	p.Text = strings.TrimSpace(string(text))
	return p, err
}

// packageOf returns the name of the package of a path inside of node_modules.
func packageOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if strings.HasPrefix(path, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
