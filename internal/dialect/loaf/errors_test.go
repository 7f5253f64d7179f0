package loaf

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// TestLiteralErrors: the errors that are literals are what encoding their data makes.
func TestLiteralErrors(t *testing.T) {
	for literal, want := range map[*jsonrpc.Error]*jsonrpc.Error{
		errBusy:         internal(KindBusy, errBusy.Message),
		errShuttingDown: failure(CodeServerError, errShuttingDown.Message, ErrorData{Reason: ReasonShuttingDown}),
	} {
		if diff := cmp.Diff(want, literal); diff != "" {
			t.Error(diff)
		}
	}
}
