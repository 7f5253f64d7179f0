package engine

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

// grantsOf is a GrantStore that a function fills; what is saved comes after that.
func grantsOf(load func(workspace string) []approval.Grant) *grantStore {
	return &grantStore{load: load}
}

type grantStore struct {
	load func(workspace string) []approval.Grant

	mu    sync.Mutex
	saved map[string][]approval.Grant
	full  error // of Save
}

func (g *grantStore) Load(workspace string) ([]approval.Grant, error) {
	var list []approval.Grant
	if g.load != nil {
		list = g.load(workspace)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return append(list, g.saved[workspace]...), nil
}

func (g *grantStore) Save(workspace string, grant approval.Grant) (approval.Grant, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.full != nil {
		return grant, g.full
	}
	if g.saved == nil {
		g.saved = map[string][]approval.Grant{}
	}
	grant = grant.Named()
	g.saved[workspace] = append(g.saved[workspace], grant)
	return grant, nil
}

func (g *grantStore) Revoke(workspace string, ids ...string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range ids {
		if !slices.ContainsFunc(g.saved[workspace], func(o approval.Grant) bool { return o.ID == id }) {
			return approval.ErrNoGrant
		}
	}
	g.saved[workspace] = slices.DeleteFunc(g.saved[workspace], func(o approval.Grant) bool { return slices.Contains(ids, o.ID) })
	return nil
}

// onAsked answers each approval in a turn by a function.
func onAsked(f func(event.ApprovalID)) func(event.Record) {
	return func(rec event.Record) {
		if e, ok := rec.Event.(event.ApprovalAsked); ok {
			f(e.ID)
		}
	}
}

// TestAddedGrantAllowsWhatWaits: a grant for a workspace allows what waits in a session there, and not in another.
func TestAddedGrantAllowsWhatWaits(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
	s := granting(t, b, nil)
	workspace := s.lockedFolder()
	records := turnOf(t, s, "go", onAsked(func(event.ApprovalID) {
		elsewhere := approval.Grant{Target: approval.Target{Kind: approval.TargetPath, Path: workspace, Recursive: true}, Level: approval.Write, Scope: approval.Always}
		if _, err := s.host.AddGrant("/elsewhere", elsewhere); err != nil {
			t.Error(err)
		}
		if approvals, _ := s.Waiting(); len(approvals) != 1 {
			t.Errorf("%d approvals wait after a grant of another workspace", len(approvals))
		}
		if _, err := s.host.AddGrant(workspace, elsewhere); err != nil {
			t.Error(err)
		}
	}))
	if a := find[event.ApprovalAnswered](records); len(a) != 1 || !a[0].Allowed || a[0].By != event.ByPolicy {
		t.Errorf("%+v", a)
	}
}

// TestEveryCallIsAsked: a grant does not answer where every call needs the approval of a user.
func TestEveryCallIsAsked(t *testing.T) {
	b := newBench(t, nil, call(toolCall("a", "write", `{"path":"x","content":"1"}`)), say("ok"))
	s := granting(t, b, func(o *Options) { o.Approvals = ApproveEveryCall{} })
	records := turnOf(t, s, "go", onAsked(func(id event.ApprovalID) {
		if _, err := s.host.AddGrant(s.lockedFolder(), approval.Grant{
			Target: approval.Target{Kind: approval.TargetPath, Path: s.lockedFolder(), Recursive: true}, Level: approval.Write, Scope: approval.Always,
		}); err != nil {
			t.Error(err)
		}
		if err := s.anyClient().Answer(id, Decision{}); err != nil {
			t.Error(err)
		}
	}))
	if a := find[event.ApprovalAnswered](records); len(a) != 1 || a[0].Allowed {
		t.Errorf("%+v", a)
	}
}

// TestAnswerAlways: the call is allowed in the name of the client, the same call is not asked about again, another one
// is; and where the grant cannot be stored, nothing is answered.
func TestAnswerAlways(t *testing.T) {
	b := newBench(t, nil,
		call(toolCall("a", "write", `{"path":"x","content":"1"}`)),
		call(toolCall("b", "write", `{"path":"x","content":"2"}`), toolCall("c", "write", `{"path":"y","content":"2"}`)), say("ok"))
	s := granting(t, b, nil)
	store := s.host.cfg.Grants.(*grantStore)
	client := s.Attach(ClientInfo{Name: "one"})
	t.Cleanup(client.Detach)
	asked := 0
	records := turnOf(t, s, "go", onAsked(func(id event.ApprovalID) {
		if asked++; asked > 1 {
			if err := client.Answer(id, Decision{}); err != nil {
				t.Error(err)
			}
			return
		}
		store.full = errors.New("the disk is full")
		if err := client.AnswerAlways(id); !errors.Is(err, store.full) {
			t.Errorf("not stored: %v", err)
		}
		store.full = nil
		if err := client.AnswerAlways(id); err != nil {
			t.Error(err)
		}
		if _, answered := errors.AsType[*AnsweredError](client.AnswerAlways(id)); !answered {
			t.Error("answered twice")
		}
	}))
	answers := find[event.ApprovalAnswered](records)
	if len(answers) != 2 || !answers[0].Allowed || answers[0].Client.Name != "one" || answers[1].Allowed {
		t.Errorf("%+v", answers)
	}
	list, err := s.Grants().List()
	if err != nil || len(list) != 1 || list[0].Target.Kind != approval.TargetFile || list[0].Scope != approval.Always {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := s.Grants().Revoke(list[0].ID, "nothing"); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("an unknown id: %v", err)
	}
	if err := s.Grants().Revoke(list[0].ID); err != nil {
		t.Error(err)
	}
}

// TestNotGrantable: an approval that no grant covers cannot be answered for always.
func TestNotGrantable(t *testing.T) {
	b := newBench(t, nil)
	s := b.session(t, nil)
	for _, scope := range []approval.Scope{approval.Session, approval.Always} {
		if grants := s.Grants().Exact(approval.Request{Level: approval.Admin, Summary: "x"}, scope); grants != nil {
			t.Errorf("%s: %+v", scope, grants)
		}
		grants := s.Grants().Exact(approval.Request{Level: approval.Execute, Command: "ls", Dir: "/w"}, scope)
		if len(grants) != 1 || grants[0].Scope != scope {
			t.Errorf("%s: %+v", scope, grants)
		}
	}
}

// TestOwnGrantsAreListed: the grants of a session are listed and revoked beside those of its workspace.
func TestOwnGrantsAreListed(t *testing.T) {
	b := newBench(t, nil)
	s := granting(t, b, nil)
	if err := s.anyClient().Grant(below(s, approval.Write)); err != nil {
		t.Fatal(err)
	}
	list, err := s.Grants().List()
	if err != nil || len(list) != 1 || list[0].Scope != approval.Session {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := s.Grants().Revoke(list[0].ID); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Grants().List(); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestAnswerForTurn: the grant of an answer allows the rest of its turn, and nothing in the next one.
func TestAnswerForTurn(t *testing.T) {
	b := newBench(t, nil,
		call(toolCall("a", "write", `{"path":"x","content":"1"}`)), call(toolCall("b", "write", `{"path":"y","content":"2"}`)), say("ok"),
		call(toolCall("c", "write", `{"path":"x","content":"3"}`)), say("ok"))
	s := granting(t, b, nil)
	for turn := range 2 {
		asked := 0
		turnOf(t, s, "go", onAsked(func(id event.ApprovalID) {
			asked++
			if err := s.anyClient().AnswerForTurn(id, below(s, approval.Write)); err != nil {
				t.Error(err)
			}
			if _, answered := errors.AsType[*AnsweredError](s.anyClient().AnswerForTurn(id, below(s, approval.Write))); !answered {
				t.Error("answered twice")
			}
		}))
		if asked != 1 {
			t.Errorf("turn %d: asked %d times", turn, asked)
		}
		if list, err := s.Grants().List(); err != nil || len(list) != 0 {
			t.Errorf("after turn %d: %+v, %v", turn, list, err)
		}
	}
	if err := s.anyClient().AnswerForTurn("none", approval.Grant{}); err == nil {
		t.Error("a grant of nothing is taken")
	}
}
