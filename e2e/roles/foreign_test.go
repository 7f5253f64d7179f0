package roles

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/stream"
)

// TestForeignClients: users have other clients than Parley's, and try what their role must not do.
func TestForeignClients(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.Plays(t, "text done\n")
	s.must(stream.RoleHost, "run", "hi")
	before := s.stored()
	push := `{"stream_name":"%s","config":{"name":"x","filter_subject":"%s","deliver_subject":"team.j.00.s","ack_policy":"none"}}`
	for _, test := range []struct {
		role, verb, subject, data string
	}{
		{stream.RoleViewer, "publish", "team.j.00.s", "x"},
		{stream.RoleViewer, "publish", "team.b.00.s.0.0", "x"},
		{stream.RoleViewer, "publish", "$KV.team_index.s", "x"},
		{stream.RoleViewer, "publish", "$KV.team_hosts.h-1", "x"},
		{stream.RoleViewer, "publish", "$KV.team_config.format", "x"},
		{stream.RoleViewer, "publish", "team.bt.b.m", "x"},
		{stream.RoleViewer, "publish", "team.bb.b.0.0", "x"},
		{stream.RoleViewer, "publish", "team.t.q.b.t", "x"},
		{stream.RoleViewer, "publish", "team.h.h-1.0.ctl", "want s"},
		{stream.RoleViewer, "publish", "_INBOX.host.x", "x"},
		{stream.RoleViewer, "publish", "$JS.API.STREAM.PURGE.team_j_00", ""},
		{stream.RoleViewer, "publish", "$JS.API.STREAM.DELETE.team_j_00", ""},
		{stream.RoleViewer, "publish", "$JS.API.STREAM.CREATE.other", ""},
		{stream.RoleViewer, "publish", "$JS.API.CONSUMER.CREATE.team_batch.x.team.bt.>", fmt.Sprintf(push, "team_batch", "team.bt.>")},
		{stream.RoleViewer, "publish", "$JS.API.CONSUMER.CREATE.team_tasks.x.team.t.>", fmt.Sprintf(push, "team_tasks", "team.t.>")},
		{stream.RoleViewer, "publish", "$JS.API.CONSUMER.MSG.NEXT.team_tasks.x", ""},
		{stream.RoleViewer, "publish", "$JS.API.CONSUMER.DELETE.team_tasks.x", ""},
		{stream.RoleViewer, "publish", "$JS.ACK.team_tasks.x.1.1.1.1.1", "+ACK"},
		{stream.RoleViewer, "subscribe", "_INBOX.>", ""},
		{stream.RoleViewer, "subscribe", "_INBOX.host.>", ""},
		{stream.RoleViewer, "subscribe", "team.h.>", ""},
		{stream.RoleViewer, "subscribe", ">", ""},
		{stream.RoleSubmitter, "publish", "team.j.00.s", "x"},
		{stream.RoleSubmitter, "publish", "team.b.00.s.0.0", "x"},
		{stream.RoleSubmitter, "publish", "$KV.team_index.s", "x"},
		{stream.RoleSubmitter, "publish", "team.h.h-1.0.ctl", "want s"},
		{stream.RoleSubmitter, "publish", "$JS.API.STREAM.MSG.GET.team_j_00", `{"seq":1}`},
		{stream.RoleSubmitter, "publish", "$JS.API.STREAM.INFO.team_j_00", ""},
		{stream.RoleSubmitter, "publish", "$JS.API.STREAM.MSG.GET.team_b_00", `{"seq":1}`},
		{stream.RoleSubmitter, "publish", "$JS.API.STREAM.MSG.GET.KV_team_index", `{"seq":1}`},
		{stream.RoleSubmitter, "publish", "$JS.API.DIRECT.GET.team_j_00", `{"seq":1}`},
		{stream.RoleSubmitter, "publish", "$JS.API.CONSUMER.CREATE.team_j_00.x", fmt.Sprintf(push, "team_j_00", "team.j.00.*")},
		{stream.RoleSubmitter, "publish", "$JS.API.CONSUMER.CREATE.team_batch.x.team.bt.>", fmt.Sprintf(push, "team_batch", "team.bt.>")},
		{stream.RoleSubmitter, "publish", "$JS.API.CONSUMER.MSG.NEXT.team_tasks.x", ""},
		{stream.RoleSubmitter, "publish", "$JS.API.STREAM.PURGE.team_batch", ""},
		{stream.RoleSubmitter, "subscribe", "team.j.>", ""},
		{stream.RoleSubmitter, "subscribe", "team.j.00.s", ""},
		{stream.RoleSubmitter, "subscribe", "$KV.team_index.>", ""},
		{stream.RoleSubmitter, "subscribe", "_INBOX.>", ""},
		{stream.RoleSubmitter, "subscribe", "_INBOX.viewer.>", ""},
		{stream.RoleSubmitter, "subscribe", ">", ""},
	} {
		conn, problems := s.connect(test.role)
		var err error
		want := `Permissions Violation for Publish to "` + test.subject + `"`
		if test.verb == "publish" {
			err = conn.PublishRequest(test.subject, "_INBOX."+test.role+".x", []byte(test.data))
		} else {
			_, err = conn.SubscribeSync(test.subject)
			want = `Permissions Violation for Subscription to "` + test.subject + `"`
		}
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-problems:
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s %s: %v", test.role, test.verb, test.subject, err)
			}
		case <-time.After(stage.Patience):
			t.Errorf("%s may %s to %s", test.role, test.verb, test.subject)
		}
		conn.Close()
	}
	if after := s.stored(); after != before {
		t.Errorf("the streams are\n%s\nand were\n%s", after, before)
	}
}

// TestForeignAnswers: a user names the subject of a session as the one to which a server answers. The answer stays in
// the account of the user.
func TestForeignAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	before := s.stored()
	viewer, _ := s.connect(stream.RoleViewer)
	answers, err := viewer.SubscribeSync("team.j.00.s")
	if err == nil {
		err = viewer.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{stream.RoleViewer, stream.RoleSubmitter} {
		conn, _ := s.connect(role)
		if err := conn.PublishMsg(&nats.Msg{Subject: "$JS.API.STREAM.INFO.team_batch", Reply: "team.j.00.s"}); err != nil {
			t.Fatal(err)
		}
		if m, err := answers.NextMsg(stage.Patience); err != nil || !strings.Contains(string(m.Data), "team_batch") {
			t.Fatalf("%s: the answer is %v, %v", role, m, err)
		}
	}
	if after := s.stored(); after != before {
		t.Errorf("the streams are\n%s\nand were\n%s", after, before)
	}
}

// stored describes what the streams have.
func (s *site) stored() string {
	s.Helper()
	conn, _ := s.connect(stream.RoleHost)
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		s.Fatal(err)
	}
	var all strings.Builder
	list := js.ListStreams(s.Context())
	for info := range list.Info() {
		if info.Config.Name != "KV_team_hosts" { // keys come and go
			fmt.Fprintln(&all, info.Config.Name, info.State.Msgs, info.State.LastSeq, info.State.Consumers)
		}
	}
	if list.Err() != nil {
		s.Fatal(list.Err())
	}
	return all.String()
}
