package native

// WorkspaceFindParams are the params of workspace/find.
type WorkspaceFindParams struct {
	PlaceParams
	Query string `json:"query"` // "": all files
	Limit int    `json:"limit,omitzero"`
}

// WorkspaceFindResult is the answer to workspace/find.
type WorkspaceFindResult struct {
	Paths     []string `json:"paths"`              // relative, with "/"; the best first
	Truncated bool     `json:"truncated,omitzero"` // there were too many files to look at all of them
}

// WorkspaceReadParams are the params of workspace/read.
type WorkspaceReadParams struct {
	SessionParams
	Path   string `json:"path"`
	Offset int    `json:"offset,omitzero"`
	Limit  int    `json:"limit,omitzero"`
}

// WorkspaceReadResult is the answer to workspace/read.
type WorkspaceReadResult struct {
	Data []byte `json:"data"` // base64
	Size int64  `json:"size"` // of the whole file
	Kind string `json:"kind"` // of the whole file: text, image or binary
}
