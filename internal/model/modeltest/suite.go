package modeltest

import (
	"context"
	"net/http"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/model"
)

// Key is the key of every client of the suite. It must not be seen in any error.
const Key = "key-0123456789abcdef"

// A Subject is a provider under test.
type Subject struct {
	Wire Wire
	New  func(Client) model.Provider
}

// Run is the suite: the same scripts with the same outcome on every wire.
func Run(t *testing.T, s Subject) {
	for name, test := range map[string]func(*testing.T, Subject){
		"Answers":      testAnswers,
		"Stops":        testStops,
		"Splits":       testSplits,
		"HalfRunes":    testHalfRunes,
		"Refusals":     testRefusals,
		"Failures":     testFailures,
		"BrokenStream": testBrokenStreams,
		"Unreachable":  testUnreachable,
		"Cancelled":    testCancelled,
		"Left":         testLeft,
		"Secrets":      testSecrets,
		"Connection":   testConnection,
		"Ready":        testReady,
		"Models":       testModels,
	} {
		t.Run(name, func(t *testing.T) {
			leaks := goleak.IgnoreCurrent()
			t.Cleanup(func() { goleak.VerifyNone(t, leaks) })
			test(t, s)
		})
	}
}

// connect returns the subject as a client of server. Its connections end with the test.
func (s Subject) connect(t *testing.T, server *Server, set ...func(*Client)) model.Provider {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c := Client{BaseURL: s.Wire.BaseURL(server.URL), Key: Key, HTTP: &http.Client{Transport: transport}}
	for _, f := range set {
		f(&c)
	}
	return s.New(c)
}

// Hello returns the smallest request.
func Hello() *model.Request {
	return &model.Request{Model: Model, Messages: []model.Message{model.UserText("Hello")}}
}

// An outcome is all that came of one call of Stream.
type outcome struct {
	deltas   []model.Delta // without Done
	response *model.Response
	err      error
}

// text returns the text deltas, joined.
func (o outcome) text() (all string) {
	for _, d := range o.deltas {
		if d.Kind == model.TextDelta {
			all += d.Text
		}
	}
	return all
}

// collect runs req to its end and checks what every stream promises. It stops after
// limit deltas if that is not 0.
func collect(t *testing.T, ctx context.Context, p model.Provider, req *model.Request, limit int) (out outcome) {
	t.Helper()
	before := *req
	var built model.Accumulator
	for d, err := range p.Stream(ctx, req) {
		switch {
		case out.response != nil || out.err != nil:
			t.Errorf("after the end came %+v, %v", d, err)
		case err != nil:
			out.err = err
		case d.Kind == model.Done:
			out.response = d.Response
		default:
			if !utf8.ValidString(d.Text) {
				t.Errorf("delta is not UTF-8: %q", d.Text)
			}
			if d.Block > built.Len() {
				t.Errorf("block %d begins before block %d", d.Block, built.Len())
			}
			built.Add(d)
			out.deltas = append(out.deltas, d)
		}
		if limit > 0 && len(out.deltas) == limit {
			break
		}
	}
	if out.response != nil {
		if diff := difference(built.Message(), out.response.Message); diff != "" {
			t.Errorf("the message is not what the deltas said (-deltas +message):\n%s", diff)
		}
	}
	if !reflect.DeepEqual(before, *req) {
		t.Error("the request was changed")
	}
	return out
}

// difference returns cmp.Diff of two values, which costs much more than to find that they are equal.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}
