package agentair

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// results is what models read of some tools, in the words of the protocol.
var results = map[string]func(input jsontext.Value, r engine.CallResult) engine.CallResult{
	"read_file":  readResult,
	"write_file": writeResult,
}

// readResult shows each line of a file after its number.
func readResult(_ jsontext.Value, r engine.CallResult) engine.CallResult {
	if r.Failed || r.Folder {
		return r
	}
	r.Text = dialect.NumberedLines(r.Text, func(number int, text string) string {
		return fmt.Sprintf("%05d| %s", number, text)
	})
	return r
}

// writeResult names a file that was written by its absolute path.
func writeResult(input jsontext.Value, r engine.CallResult) engine.CallResult {
	if r.Failed || len(r.Changes) != 1 {
		return r
	}
	var in struct {
		Path string `json:"file_path"`
	}
	_ = json.Unmarshal(input, &in) // it fits the schema
	done := "Updated"
	if r.Changes[0].Op == event.Created {
		done = "Created"
	}
	size := r.Text[max(0, strings.LastIndex(r.Text, "(")):]
	r.Text = fmt.Sprintf("%s %s %s", done, in.Path, size)
	return r
}
