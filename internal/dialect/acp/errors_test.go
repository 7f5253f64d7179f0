package acp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// TestLiteralErrors: the errors that are literals are what encoding their data makes.
func TestLiteralErrors(t *testing.T) {
	for literal, want := range map[*jsonrpc.Error]*jsonrpc.Error{
		errNotInitialized: failure(jsonrpc.CodeInvalidRequest, errNotInitialized.Message, ErrorData{}),
		errLong:           failure(jsonrpc.CodeInvalidRequest, errLong.Message, ErrorData{}),
		errAuthRequired:   failure(CodeAuthRequired, errAuthRequired.Message, ErrorData{}),
		errCancelled:      failure(CodeCancelled, errCancelled.Message, ErrorData{}),
		errLoading:        busy(errLoading.Message, "loading"),
		errTurnRuns:       busy(errTurnRuns.Message, "busy"),
		errQueueFull:      busy(errQueueFull.Message, "queue_full"),
		errInternal:       failure(jsonrpc.CodeInternalError, errInternal.Message, ErrorData{Kind: "internal"}),
	} {
		if diff := cmp.Diff(want, literal); diff != "" {
			t.Error(diff)
		}
	}
}
