package native

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// TestLiteralErrors: the errors that are literals are what encoding their data makes.
func TestLiteralErrors(t *testing.T) {
	for literal, want := range map[*jsonrpc.Error]*jsonrpc.Error{
		errNotInitialized: failure(CodeNotInitialized, errNotInitialized.Message, ErrorData{Kind: "not_initialized"}),
		errInitialized:    failure(jsonrpc.CodeInvalidRequest, errInitialized.Message, ErrorData{Kind: "invalid_request"}),
		errLong:           failure(jsonrpc.CodeInvalidRequest, errLong.Message, ErrorData{Kind: "line_too_long"}),
		errClosing:        failure(CodeBusy, errClosing.Message, ErrorData{Kind: "closing"}),
	} {
		if diff := cmp.Diff(want, literal); diff != "" {
			t.Error(diff)
		}
	}
}
