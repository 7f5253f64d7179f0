package config

import (
	"path/filepath"
	"slices"
)

// A named is what the default, the file and the environment name, and stays when a flag replaces it. All paths are absolute.
type named struct {
	states []string      // state folders, each once
	store  StoreSettings // "": none
}

// addState adds a state folder.
func (n *named) addState(folder string) {
	if folder, err := filepath.Abs(folder); err == nil && !slices.Contains(n.states, folder) {
		n.states = append(n.states, folder)
	}
}

// setStore sets the store.
func (n *named) setStore(s StoreSettings) {
	n.store = s
	for _, path := range []*string{&n.store.StoreCreds, &n.store.StoreKey} {
		if abs, err := filepath.Abs(*path); *path != "" && err == nil {
			*path = abs
		}
	}
}

// StateFolders returns every folder in which a process of this user has its state, as far as it is known: Home first, then those of
// the file, of the environment and by default, which other processes use, whatever a flag of this one has set.
func (c *Config) StateFolders() []string {
	folders := []string{c.Home}
	for _, folder := range c.named.states {
		if folder != c.Home {
			folders = append(folders, folder)
		}
	}
	return folders
}

// NamedStore returns the store that the file and the environment name, whatever a flag has set.
func (c *Config) NamedStore() StoreSettings { return c.named.store }

// standardHome is where the state folder is where no variable moves it.
func standardHome(getenv func(string) string) string {
	return filepath.Join(HomeDir(getenv), ".local", "state", "parley")
}
