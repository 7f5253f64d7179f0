package approval

// A Verdict is the result of a decision about a call.
type Verdict uint8

// The verdicts.
const (
	Ask Verdict = iota // request the user's approval; the zero value: fail closed
	Allow
	Deny
)

// A Policy is everything a decision depends on.
type Policy struct {
	Mode  Mode
	Rules []Rule // the first Deny that matches wins, then the first Ask, then the first Allow
}

// Decide returns the verdict on r and its reason, which is "" for Allow.
func (p Policy) Decide(r Request) (Verdict, string) {
	if rule, ok := p.match(Deny, r); ok {
		return Deny, "matches deny rule " + rule.String()
	}
	if rule, ok := p.match(Ask, r); ok {
		return Ask, "matches ask rule " + rule.String()
	}
	if _, ok := p.match(Allow, r); ok {
		return Allow, ""
	}
	if p.Mode.Covers(r) {
		return Allow, ""
	}
	return Ask, p.Mode.Lack(r)
}

// Lack returns why m does not cover r; "" if it does, or if m requires approval of everything.
func (m Mode) Lack(r Request) string {
	if m == Prompt || m.Covers(r) {
		return ""
	}
	if path, outside := r.Outside(); outside {
		return "path is outside the workspace: " + path.Path
	}
	return r.Tool + " needs " + string(Needed(r)) + "; active mode is " + string(m)
}

func (p Policy) match(v Verdict, r Request) (Rule, bool) {
	for _, rule := range p.Rules {
		if rule.Verdict == v && rule.Matches(r) {
			return rule, true
		}
	}
	return Rule{}, false
}
