package approval

import (
	"slices"
	"testing"
)

// TestSubjects: what a call does decides about the subject of its approval.
func TestSubjects(t *testing.T) {
	for name, test := range map[string]struct {
		request Request
		want    []Subject
	}{
		"command": {Request{Command: "ls"}, []Subject{SubjectSandbox}},
		"change":  {Request{Paths: []Path{{Path: "/x", Write: true}}}, []Subject{SubjectSandbox}},
		"fetch":   {Request{URL: "https://example.com"}, []Subject{SubjectNetwork}},
		"saved":   {Request{URL: "https://example.com", Paths: []Path{{Path: "/x", Write: true}}}, []Subject{SubjectNetwork, SubjectSandbox}},
		"server":  {Request{Server: "s", Tool: "t"}, []Subject{SubjectServer}},
		"unknown": {Request{}, []Subject{SubjectSandbox}},
	} {
		if got := Subjects(test.request); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// TestRefuse: only an approval that would be requested is refused, and the reason stays.
func TestRefuse(t *testing.T) {
	ask := Decision{Verdict: Ask, Reason: "writes outside"}
	for name, test := range map[string]struct {
		decision Decision
		refused  []Subject
		want     Decision
	}{
		"none":    {ask, nil, ask},
		"another": {ask, []Subject{SubjectServer}, ask},
		"this":    {ask, []Subject{SubjectHook, SubjectSandbox}, Decision{Verdict: Deny, Reason: "writes outside; the user does not want to be asked about it"}},
		"no why":  {Decision{}, []Subject{SubjectSandbox}, Decision{Verdict: Deny, Reason: "the user does not want to be asked about it"}},
		"allowed": {Decision{Verdict: Allow, Lifted: true}, []Subject{SubjectSandbox}, Decision{Verdict: Allow, Lifted: true}},
		"denied":  {Decision{Verdict: Deny, Reason: "no"}, []Subject{SubjectSandbox}, Decision{Verdict: Deny, Reason: "no"}},
	} {
		if got := test.decision.Refuse([]Subject{SubjectSandbox, SubjectNetwork}, test.refused); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// TestParseSubjects: subjects are sorted, each once; a word that is none is an error.
func TestParseSubjects(t *testing.T) {
	got, err := ParseSubjects([]Subject{SubjectServer, SubjectHook, SubjectServer})
	if want := []Subject{SubjectHook, SubjectServer}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err := ParseSubjects(nil); err != nil || got != nil {
		t.Errorf("of nothing: %q, %v", got, err)
	}
	if _, err := ParseSubjects([]Subject{"weather"}); err == nil || err.Error() != `there is no "weather": expected hook, network, sandbox or server` {
		t.Errorf("%v", err)
	}
}
