package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"parley.dev/parley/internal/stream/address"
)

// StoreSettings are where sessions are stored, and how the store is reached; docs/config.md.
type StoreSettings struct {
	Store         string `json:"store,omitzero"`          // file:PATH, nats://… or tls://…; "": the state folder
	StoreCreds    string `json:"store_creds,omitzero"`    // path of a file with an nkey and a JWT
	StoreCA       string `json:"store_ca,omitzero"`       // path of the certificates that sign those of servers
	StoreCert     string `json:"store_cert,omitzero"`     // path of the certificate of this client
	StoreKey      string `json:"store_key,omitzero"`      // path of its key
	StoreInsecure bool   `json:"store_insecure,omitzero"` // servers on other machines need no TLS
}

// The kinds of stores.
const (
	FileStore = "file"
	NATSStore = "nats"
)

// A StoreAddress is where a store is.
type StoreAddress struct {
	Kind   string          // FileStore or NATSStore
	Folder string          // of a file store; "": the state folder
	Stream address.Address // of a store on NATS
}

// ParseStore parses the address of a store. "" and file: are the store in the state folder.
func ParseStore(text string) (StoreAddress, error) {
	path, isFile := strings.CutPrefix(text, "file:")
	if text == "" || isFile {
		if rest, ok := strings.CutPrefix(path, "//"); ok {
			if path = rest; !filepath.IsAbs(path) {
				return StoreAddress{}, errors.New("the address of a file store is file:PATH or file:///PATH")
			}
		}
		return StoreAddress{Kind: FileStore, Folder: path}, nil
	}
	if !strings.HasPrefix(text, "nats://") && !strings.HasPrefix(text, "tls://") {
		return StoreAddress{}, errors.New("the address of a store is file:PATH, nats://HOST:PORT or tls://HOST:PORT")
	}
	a, err := address.Parse(text)
	return StoreAddress{Kind: NATSStore, Stream: a}, err
}

// StoreAddress returns where sessions are stored; the settings are checked.
func (s StoreSettings) StoreAddress() (StoreAddress, error) { return ParseStore(s.Store) }

// Connection returns how a store on NATS is reached for what needs the rights of a role; see package address.
func (s StoreSettings) Connection(role string) address.Connection {
	return address.Connection{
		Role:            role,
		CredentialsFile: s.StoreCreds, CAFile: s.StoreCA, CertFile: s.StoreCert, KeyFile: s.StoreKey, Insecure: s.StoreInsecure,
	}
}

// SecretFiles returns the paths of files with secrets.
func (s StoreSettings) SecretFiles() []string {
	var paths []string
	for _, path := range []string{s.StoreCreds, s.StoreKey} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// CheckStore returns what is wrong with the settings of the store.
func (s StoreSettings) CheckStore() error {
	if _, err := s.StoreAddress(); err != nil {
		return invalid("store", err)
	}
	if (s.StoreCert == "") != (s.StoreKey == "") {
		return invalid("store_cert", errors.New("the certificate of a client and its key need each other"))
	}
	return nil
}

func setStoreInsecure(s *Settings, v string) (err error) {
	if s.StoreInsecure, err = strconv.ParseBool(v); err != nil {
		return fmt.Errorf("cannot read %q: expected true or false", v)
	}
	return nil
}
