package approval

import (
	"fmt"
	"slices"
)

// A Subject is what an approval is about. Settings can refuse the approvals of a subject, which are then not requested.
type Subject string

// The subjects.
const (
	SubjectSandbox Subject = "sandbox" // commands, and changes of files
	SubjectNetwork Subject = "network" // addresses
	SubjectServer  Subject = "server"  // calls of tool servers, and what these request of the user
	SubjectHook    Subject = "hook"    // what only a hook wants to have approved
)

// ParseSubjects checks subjects, and returns each once, sorted.
func ParseSubjects(given []Subject) ([]Subject, error) {
	known := []Subject{SubjectHook, SubjectNetwork, SubjectSandbox, SubjectServer}
	for _, s := range given {
		if !slices.Contains(known, s) {
			return nil, fmt.Errorf("there is no %q: expected %s, %s, %s or %s", s, known[0], known[1], known[2], known[3])
		}
	}
	sorted := slices.Clone(given)
	slices.Sort(sorted)
	return slices.Compact(sorted), nil
}

// Subjects returns what an approval of r is about.
func Subjects(r Request) []Subject {
	var subjects []Subject
	if r.Server != "" {
		subjects = append(subjects, SubjectServer)
	}
	if r.URL != "" {
		subjects = append(subjects, SubjectNetwork)
	}
	if r.Command != "" || len(r.Paths) > 0 || len(subjects) == 0 {
		subjects = append(subjects, SubjectSandbox)
	}
	return subjects
}

// Refuse returns d, or a denial in its place if it requests an approval of one of the refused subjects.
func (d Decision) Refuse(subjects, refused []Subject) Decision {
	if d.Verdict != Ask || !slices.ContainsFunc(subjects, func(s Subject) bool { return slices.Contains(refused, s) }) {
		return d
	}
	reason := "the user does not want to be asked about it"
	if d.Reason != "" {
		reason = d.Reason + "; " + reason
	}
	return Decision{Verdict: Deny, Reason: reason}
}
