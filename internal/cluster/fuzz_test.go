package cluster

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/cluster/tunnel"
	"parley.dev/parley/internal/stream"
)

// FuzzAnswer: each request of another process gets one of the known answers. A tunnel has subjects of its own, whatever its
// id, and one that is refused leaves nothing.
func FuzzAnswer(f *testing.F) {
	for _, line := range []string{
		`open {"conn":"a1","from":"h-1.2","name":"one","role":"owner"}`, `open {"conn":"a.>"}`, `open {"conn":""}`, `open {`, `open`, "open\x00", `has /tmp`, ``, ` `,
		`open {"conn":"a","conn":"b"}`, `open {"conn":"denied","role":"viewer","limited":true,"sessions":["s"]}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		feed := &recorder{}
		m := New(Options{HostID: "h-1", HostName: "one"})
		m.link = &Link{Feed: feed, Namespace: stream.Namespace{Name: "n"}}
		m.Handle(peer.VerbHas, func(string) string { return peer.AnswerNo })
		m.ServeTunnels(func(v Visitor) error {
			if v.Conn == "denied" {
				return ErrClosed
			}
			return nil
		}, func(_ Visitor, c *tunnel.Conn) { <-c.Done() })
		answer := string(m.answer(line))
		switch {
		case answer == answerOpen:
			if parts := strings.Count(feed.subject, "."); parts != strings.Count("n.h.h-1.0.t.id.in", ".") || strings.ContainsAny(feed.subject, "*> \t\r\n") {
				t.Errorf("a tunnel receives %q", feed.subject)
			}
		case answer == answerUnknownVerb, answer == peer.AnswerNo, strings.HasPrefix(answer, answerRefused):
			if feed.subject != "" || m.Tunnels() != 0 {
				t.Errorf("%q leaves a tunnel that receives %q", answer, feed.subject)
			}
		default:
			t.Errorf("the answer is %q", answer)
		}
		m.end()
	})
}

// A recorder is a feed on which nothing arrives. It has the subject that is received.
type recorder struct {
	stream.Feed

	subject string
}

func (r *recorder) Send(string, []byte) error { return nil }

func (r *recorder) Receive(subject string, _ func([]byte)) (func(), error) {
	r.subject = subject
	return func() {}, nil
}
