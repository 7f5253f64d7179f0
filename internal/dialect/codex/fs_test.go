package codex

import "testing"

// TestPrivateFolders: a client of a socket reaches no file of any state folder of the user.
func TestPrivateFolders(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	c := &conn{cfg: Config{Parts: Parts{States: []string{home, other}}, Home: home, Leaves: true}}
	for path, want := range map[string]bool{home: false, home + "/x": false, other: false, other + "/tokens.json": false, other + "x": true} {
		if _, err := c.path("path", path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}
