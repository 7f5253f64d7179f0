package stream

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestAvailable checks which errors of the servers make a request be repeated, and for how long.
func TestAvailable(t *testing.T) {
	electing := &jetstream.APIError{Code: 503, ErrorCode: codeUnavailable, Description: "JetStream system temporarily unavailable"}
	disabled := &jetstream.APIError{Code: 503, ErrorCode: jetstream.JSErrCodeJetStreamNotEnabled}
	for _, test := range []struct {
		name    string
		errs    []error // of the first attempts
		lasting error   // of all attempts after those
		want    error
		took    time.Duration // at least
	}{
		{name: "an election", errs: []error{electing, fmt.Errorf("read: %w", electing)}},
		{name: "no leader", errs: []error{nats.ErrNoResponders}},
		{name: "an interrupted connection", errs: []error{nats.ErrConnectionClosed, nats.ErrReconnectBufExceeded, nats.ErrReconnectBufExceeded}},
		{name: "a long election", lasting: electing, want: electing, took: AnswerTimeout},
		{name: "no message", lasting: jetstream.ErrMsgNotFound, want: jetstream.ErrMsgNotFound},
		{name: "no JetStream", lasting: disabled, want: disabled},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun, attempts := time.Now(), 0
				c := &Client{conn: &nats.Conn{}} // it is not closed
				answer, err := available(t.Context(), c, func(context.Context) (string, error) {
					if attempts++; attempts <= len(test.errs) {
						return "", test.errs[attempts-1]
					}
					return "answer", test.lasting
				})
				if !errors.Is(err, test.want) || err == nil && answer != "answer" {
					t.Errorf("%q, %v after %d attempts, want %v", answer, err, attempts, test.want)
				}
				if took := time.Since(begun); took < test.took || test.took == 0 && took > time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}
