package extension

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// The program that extensions run in: plain JavaScript without packages.
//
//go:embed program/*.mjs
var program embed.FS

// unpack puts the program into a folder below that of the state, which has its content in its
// name, and is the path of its main module.
func unpack(state string) (string, error) {
	files, err := fs.ReadDir(program, "program")
	if err != nil {
		return "", err
	}
	texts := map[string][]byte{}
	sum := sha256.New()
	for _, file := range files {
		text, err := program.ReadFile("program/" + file.Name())
		if err != nil {
			return "", err
		}
		texts[file.Name()] = text
		sum.Write([]byte(file.Name() + "\x00"))
		sum.Write(text)
	}
	folder := filepath.Join(state, "extension-host-"+hex.EncodeToString(sum.Sum(nil))[:16])
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	for name, text := range texts {
		path := filepath.Join(folder, name)
		if there, err := os.ReadFile(path); err == nil && bytes.Equal(there, text) {
			continue
		}
		if err := renameio.WriteFile(path, text, 0o600); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, "host.mjs"), nil
}
