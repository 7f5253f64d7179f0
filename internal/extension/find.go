package extension

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/regular"
)

// suffixes are those of modules, in the order in which an index is looked for.
var suffixes = []string{".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".tsx"}

func isModule(name string) bool {
	return slices.Contains(suffixes, filepath.Ext(name)) && !strings.HasSuffix(name, ".d.ts") && !strings.HasSuffix(name, ".d.mts")
}

// Find returns the modules at paths, in their order, each once. A path is a module, or a folder: of
// one that is a package, those that its package.json names, or its index; of any other, the
// modules in it, sorted, and those of the folders in it. Missing are the paths at which there
// is nothing of the kind.
func Find(paths []string) (modules, missing []string) {
	add := func(found []string) {
		for _, module := range found {
			if !slices.Contains(modules, module) {
				modules = append(modules, module)
			}
		}
	}
	for _, path := range paths {
		found := findAt(path)
		if len(found) == 0 {
			missing = append(missing, path)
		}
		add(found)
	}
	return modules, missing
}

func findAt(path string) []string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case !info.IsDir():
		return []string{path}
	}
	if own := packaged(path); own != nil {
		return own
	}
	entries, _ := os.ReadDir(path) // sorted; what cannot be read has none
	var modules []string
	for _, entry := range entries {
		inside := filepath.Join(path, entry.Name())
		info, err := os.Stat(inside) // links are followed
		switch {
		case err != nil || strings.HasPrefix(entry.Name(), "."):
		case info.IsDir():
			modules = append(modules, packaged(inside)...)
		case isModule(inside):
			modules = append(modules, inside)
		}
	}
	return modules
}

// maxManifest is how long a package.json may be, in bytes.
const maxManifest = 1 << 20

// packaged returns the modules of a folder that lists them in a manifest, or has an index.
func packaged(folder string) []string {
	var manifest struct {
		Own entryPoints `json:"omp"`
		Kin entryPoints `json:"pi"`
	}
	data, err := regular.ReadFile(filepath.Join(folder, "package.json"), maxManifest)
	if err == nil && json.Unmarshal(data, &manifest) == nil {
		var modules []string
		for _, name := range append(manifest.Own.Extensions, manifest.Kin.Extensions...) {
			module := filepath.Join(folder, filepath.FromSlash(name))
			if info, err := os.Stat(module); err == nil && info.Mode().IsRegular() && !slices.Contains(modules, module) {
				modules = append(modules, module)
			}
		}
		if modules != nil {
			return modules
		}
	}
	for _, suffix := range suffixes {
		index := filepath.Join(folder, "index"+suffix)
		if info, err := os.Stat(index); err == nil && info.Mode().IsRegular() {
			return []string{index}
		}
	}
	return nil
}

type entryPoints struct {
	Extensions []string `json:"extensions"`
}
