package pi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/regular"
)

// This file is about the extension that holds the calls of tools: how it comes to pi, and what it asks.

// gate is the text of the extension.
//
//go:embed gate.js
var gate []byte

const (
	gateStatus  = "parley:gate"    // key of the status that it sets when a session begins
	gateTitle   = "parley:approve" // title of its requests
	promptEntry = "parley:prompt"  // type of the entry that it adds to the session before each prompt
)

// gateState is the value of gateStatus.
type gateState struct {
	Version string `json:"version"` // of pi; "": not known
}

// gateRequest is a call that waits.
type gateRequest struct {
	ID    string         `json:"id"`
	Tool  string         `json:"tool"`
	Input jsontext.Value `json:"input"`
}

// gateAnswer returns the answer to a request. It is a text, since a dialog that asks yes or no cannot carry a reason.
func gateAnswer(v backend.Verdict) dialogResult {
	text := "deny " + v.Reason
	switch {
	case v.Cancel:
		return dialogResult{Cancelled: true}
	case v.Allow:
		text = "allow"
	}
	return dialogResult{Value: &text}
}

// writeGate writes the extension into a folder, unless it is there, and returns its path.
func writeGate(folder string) (string, error) {
	sum := sha256.Sum256(gate)
	path := filepath.Join(folder, "pi-gate-"+hex.EncodeToString(sum[:8])+".js")
	if found, err := regular.ReadFile(path, int64(len(gate))); err == nil && string(found) == string(gate) {
		return path, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(folder, "pi-gate-*.tmp") // with mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(gate)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // what is left of it is never loaded
	}
	return path, err
}
