package extension

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/atomicfile"
	"parley.dev/parley/internal/regular"
)

// The program that extensions run in: plain JavaScript without packages.
//
//go:embed program/*.mjs
var program embed.FS

const (
	mainModule = "host.mjs"
	standIns   = "stand-ins" // folder of the packages that shims.mjs stands in for
)

// texts returns the files of the program, by their paths in its folder. Node.js finds the stand-ins
// by loader.mjs; Bun wants a folder with packages.
func texts() (map[string][]byte, error) {
	files, err := fs.ReadDir(program, "program")
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, file := range files {
		if texts[file.Name()], err = program.ReadFile("program/" + file.Name()); err != nil {
			return nil, err
		}
	}
	packages := []string{"typebox", "@sinclair/typebox"}
	for _, family := range []string{"@mariozechner", "@oh-my-pi", "@earendil-works"} {
		for _, name := range []string{"pi-ai", "pi-tui", "pi-coding-agent", "pi-agent-core", "pi-utils"} {
			packages = append(packages, family+"/"+name)
		}
	}
	for _, name := range packages {
		shims := strings.Repeat("../", strings.Count(name, "/")+2) + "shims.mjs"
		texts[standIns+"/"+name+"/index.mjs"] = fmt.Appendf(nil, "export * from %q;\nexport { default } from %[1]q;\n", shims)
	}
	return texts, nil
}

// unpack puts the program into a folder below that of the state, which has its content in its
// name, and is that folder.
func unpack(state string) (string, error) {
	texts, err := texts()
	if err != nil {
		return "", err
	}
	names := slices.Sorted(maps.Keys(texts))
	sum := sha256.New()
	for _, name := range names {
		sum.Write([]byte(name + "\x00"))
		sum.Write(texts[name])
	}
	folder := filepath.Join(state, "extension-host-"+hex.EncodeToString(sum.Sum(nil))[:16])
	for _, name := range names {
		path, text := filepath.Join(folder, filepath.FromSlash(name)), texts[name]
		if there, err := regular.ReadFile(path, int64(len(text))); err == nil && bytes.Equal(there, text) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := atomicfile.WriteFile(path, text, 0o600); err != nil {
			return "", err
		}
	}
	return folder, nil
}
