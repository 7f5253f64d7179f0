package rights

import (
	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// OfSettings returns what settings of a session need that a client has chosen: to run commands that no sandbox confines
// needs the user, and so do folders that the client cannot reach.
func OfSettings(s event.Settings) []Need {
	needs := OfSandbox(s.Sandbox)
	if s.Mode == string(approval.FullAccess) {
		needs = append(needs, Need{Level: User, What: "with the mode " + s.Mode})
	}
	return needs
}

// OfSandbox returns what a sandbox needs that a client has chosen. One without a kind confines.
func OfSandbox(s approval.Sandbox) []Need {
	var needs []Need
	if s.Kind != "" && !s.Confining() {
		needs = append(needs, Need{Level: User, What: "with the sandbox " + string(s.Kind)})
	}
	for _, root := range s.Roots {
		needs = append(needs, Need{Path: root, What: "with the writable folder " + root})
	}
	return needs
}

// OfFolder returns what the folder needs in which a session is to work; "": nothing.
func OfFolder(dir string) Need { return Need{Folder: dir} }

// OfFile returns what a file needs that Parley reads for a client.
func OfFile(path string) Need { return Need{Path: path, What: "with the file " + path} }
