package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/host/token"
)

// BrowserPath returns where the browsers that are signed in are stored, in a state folder.
func BrowserPath(home string) string { return filepath.Join(home, "browsers.json") }

// browserFileVersion is the version of the file of browsers.
const browserFileVersion = 1

// A browserFile stores the browsers that are signed in, so that they still are when the host is started again: the hashes
// of their secrets, and which token each has.
type browserFile struct {
	path   string // "": nothing is stored
	tokens *token.Store
	owner  string // id of the token that is the owner's of this start; the next start has another in its place
	log    *slog.Logger
}

// storedBrowsers is the content of the file.
type storedBrowsers struct {
	Version  int             `json:"version"`
	Browsers []storedBrowser `json:"browsers"`
}

type storedBrowser struct {
	Hash  string    `json:"sha256"`
	Token string    `json:"token,omitzero"` // "": the owner's of the start
	Role  string    `json:"role"`
	Since time.Time `json:"since"`
}

// read returns the stored browsers whose token is still valid.
func (f browserFile) read() (map[[sha256.Size]byte]*browser, error) {
	all := map[[sha256.Size]byte]*browser{}
	if f.path == "" {
		return all, nil
	}
	data, err := token.ReadSecret(f.path)
	if err != nil || data == nil {
		return all, err
	}
	var stored storedBrowsers
	if err := json.Unmarshal(data, &stored, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%s: %w; remove the file, then browsers sign in again", f.path, err)
	}
	if stored.Version != browserFileVersion {
		return nil, fmt.Errorf("%s has version %d; this program reads %d", f.path, stored.Version, browserFileVersion)
	}
	for i, entry := range stored.Browsers {
		var hash [sha256.Size]byte
		if n, err := hex.Decode(hash[:], []byte(entry.Hash[:min(len(entry.Hash), 2*len(hash))])); err != nil || n != len(hash) || len(entry.Hash) != 2*n {
			return nil, fmt.Errorf("%s: browser %d has no hash", f.path, i+1)
		}
		id := entry.Token
		if id == "" {
			id = f.owner
		}
		info, ended, ok := f.tokens.Find(id)
		if !ok {
			continue
		}
		info.Role = entry.Role
		if in := newBrowser(bearer{Info: info, ended: ended}, entry.Since); !in.expired() {
			all[hash] = in
		}
	}
	return all, nil
}

// write stores the browsers. One that cannot be stored is signed in until the process ends.
func (f browserFile) write(all map[[sha256.Size]byte]*browser) {
	if f.path == "" {
		return
	}
	stored := storedBrowsers{Version: browserFileVersion, Browsers: []storedBrowser{}}
	for hash, in := range all {
		entry := storedBrowser{hex.EncodeToString(hash[:]), in.ID, in.Role, in.since.UTC()}
		switch {
		case in.expired(), in.Temporary && in.ID != f.owner:
			continue
		case in.Temporary:
			entry.Token = ""
		}
		stored.Browsers = append(stored.Browsers, entry)
	}
	data, err := json.Marshal(stored)
	if err == nil {
		err = token.WriteSecret(f.path, append(data, '\n'))
	}
	if err != nil {
		f.log.Error("browsers are not stored", "error", err)
	}
}
