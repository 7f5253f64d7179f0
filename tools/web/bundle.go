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

// licensesName is the file with the licences of the packages in the bundle.
const licensesName = "licenses.txt"

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
	files[licensesName], err = licenses(from, result.Metafile)
	return files, err
}

// licenses returns the licences of the packages that a bundle has code of.
func licenses(from, metafile string) ([]byte, error) {
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, err
	}
	packages := map[string]bool{}
	for path := range meta.Inputs {
		if _, inside, ok := strings.Cut(path, "node_modules/"); ok {
			packages[packageOf(inside)] = true
		}
	}
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		dir := filepath.Join(from, "node_modules", name)
		found, err := filepath.Glob(filepath.Join(dir, "[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("the package %s has no licence", name)
		}
		data, err := os.ReadFile(found[0])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&text, "%s\n\n%s\n\n", name, strings.TrimSpace(string(data)))
	}
	return text.Bytes(), nil
}

// packageOf returns the name of the package of a path inside of node_modules.
func packageOf(path string) string {
	parts := strings.SplitN(path, "/", 3)
	if strings.HasPrefix(path, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
