package native

import "parley.dev/parley/internal/event"

// SessionPutBlobParams are the params of session/put_blob.
type SessionPutBlobParams struct {
	SessionParams
	Data string `json:"data"` // base64; at most ImageLimit bytes
}

// SessionPutBlobResult is the answer to session/put_blob.
type SessionPutBlobResult struct {
	Address string `json:"address"` // the same for the same data
	Size    int    `json:"size"`
}

// SessionChangesParams are the params of session/changes.
type SessionChangesParams struct {
	SessionParams
	Turn string `json:"turn,omitzero"` // "": all turns
}

// SessionChangesResult is the answer to session/changes.
type SessionChangesResult struct {
	Files     []ChangedFile   `json:"files"`              // sorted by path
	Untracked []UntrackedCall `json:"untracked,omitzero"` // in their order
}

// A ChangedFile is what tools made of a file, all in all.
type ChangedFile struct {
	Path    string       `json:"path"` // relative to the folder that the session works in, absolute if outside
	Op      event.FileOp `json:"op"`
	Added   int          `json:"added"`            // lines
	Removed int          `json:"removed"`          // lines
	Diff    string       `json:"diff"`             // unified; "" of binary and large files, and with Missing
	Cut     int          `json:"cut,omitzero"`     // lines that Diff lacks at its end
	Missing bool         `json:"missing,omitzero"` // the content before is not stored: Added and Removed are sums
}

// An UntrackedCall is a tool call, or a command of a user, whose changes of files are not known.
type UntrackedCall struct {
	Record uint64       `json:"record"`        // its end
	Call   event.CallID `json:"call,omitzero"` // "": a command of a user
	Tool   string       `json:"tool"`
}

// SessionRestoreParams are the params of session/restore.
type SessionRestoreParams struct {
	SessionParams
	Before uint64 `json:"before"`         // number of a record, or the one after the last
	Apply  bool   `json:"apply,omitzero"` // write the files; without, nothing is changed
}

// SessionRestoreResult is the answer to session/restore.
type SessionRestoreResult struct {
	Files     []RestoredFile  `json:"files"`              // sorted by path
	Untracked []UntrackedCall `json:"untracked,omitzero"` // in their order; what they changed stays
}

// A RestoredFile is a file that is put back as it was, or would be.
type RestoredFile struct {
	Path    string       `json:"path"` // relative to the folder that the session works in, absolute if outside
	Op      event.FileOp `json:"op"`   // what is done to the file now
	Diff    string       `json:"diff"` // from now to then; "" of binary and large files, and where nothing differs
	Cut     int          `json:"cut,omitzero"`
	Missing bool         `json:"missing,omitzero"` // its content then is not stored: it cannot be put back
	Outside bool         `json:"outside,omitzero"` // tools may not write it without an approval: it is not put back
}

// SessionExportParams are the params of session/export.
type SessionExportParams struct {
	SessionParams
	Format string `json:"format" enum:"html,md,json,pi"`
}

// SessionExportResult is the answer to session/export: the text, or if that is over Limits.Blob an address for
// session/blob of this connection.
type SessionExportResult struct {
	Data *string `json:"data,omitzero"`
	Blob string  `json:"blob,omitzero"`
	Size int64   `json:"size,omitzero"` // bytes, with Blob
}
