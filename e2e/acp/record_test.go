package acp

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/dialect/acp/acptest"
)

// checkRecords checks the connections that were recorded in a folder; there must be some.
func checkRecords(t *testing.T, folder string) {
	t.Helper()
	records, err := filepath.Glob(filepath.Join(folder, "*.ndjson"))
	if err != nil || len(records) == 0 {
		t.Fatalf("no connection was recorded: %v", err)
	}
	for _, record := range records {
		text, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range problems(t, text) {
			t.Errorf("%s: %s", filepath.Base(record), problem)
		}
	}
}

// problems returns what is wrong with the lines of a connection that ended in peace.
func problems(t *testing.T, text []byte) (all []string) {
	t.Helper()
	schema, err := acptest.NewOfficial(acptest.V1)
	if err != nil {
		t.Fatal(err)
	}
	order := acptest.NewOrder()
	for line := range bytes.Lines(text) {
		var one struct {
			From string `json:"from"`
			Line string `json:"line"`
		}
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("a record has the line %q: %v", line, err)
		}
		if one.From == "client" {
			_ = schema.FromClient([]byte(one.Line)) // what clients send is theirs
			order.FromClient([]byte(one.Line))
			continue
		}
		if err := schema.FromAgent([]byte(one.Line)); err != nil {
			all = append(all, err.Error())
		}
		order.FromAgent([]byte(one.Line))
	}
	order.End()
	all = append(all, order.Problems()...)
	for _, request := range schema.Unanswered() {
		all = append(all, "no answer to "+request)
	}
	return all
}

// TestRecordsAreChecked wants a wrong line, a wrong order and a missing answer to be found in a record.
func TestRecordsAreChecked(t *testing.T) {
	t.Parallel()
	record := `{"from":"client","line":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\",\"params\":{}}"}
{"from":"agent","line":"{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"current_mode_update\"}}}"}
`
	if got := problems(t, []byte(record)); len(got) != 3 {
		t.Errorf("%q, want three problems", got)
	}
}
