package pisces

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/rule"
)

// rulesFolder is where rules are, in the folders of the project and of the agent.
const rulesFolder = "rules"

var _ engine.AnswerWatcher = (*rules)(nil)

// rules is the rules of the process, and the handling of an answer that breaks one.
type rules struct {
	project string // folder of the project's rules
	now     func() time.Time

	always, listed, watched []*rule.Rule

	mode   rule.Mode
	forget bool
	gap    int // answers between two objections to one rule; 0: there is only one
}

// readRules reads the rules that there are, unless the command line says that they do not count.
func readRules(cfg Config) *rules {
	f, set := cfg.Flags, cfg.Settings
	r := &rules{project: filepath.Join(f.Cwd, f.Project, rulesFolder), now: cfg.Now}
	if f.NoRules {
		return r
	}
	found, errs := rule.Find([]string{r.project, filepath.Join(f.Agent, rulesFolder)})
	for _, err := range errs {
		cfg.Log.Warn("rule not used as it stands", "error", err)
	}
	r.always, r.listed, r.watched = rule.Select(found)
	if !setting(set, "ttsr.enabled", true) {
		r.watched = nil
	}
	r.mode = rule.Mode(set.oneOf("ttsr.interruptMode", string(rule.Always), string(rule.Prose), string(rule.Tools), string(rule.Never)))
	r.forget = set.oneOf("ttsr.contextMode", "discard", "keep") == "discard"
	if set.oneOf("ttsr.repeatMode", "once", "after-gap") == "after-gap" {
		r.gap = int(set.number("ttsr.repeatGap", 1, 10))
	}
	return r
}

// catalogue returns the part of the system prompt about rules.
func (r *rules) catalogue() string {
	var b strings.Builder
	for _, one := range r.always {
		fmt.Fprintf(&b, "# Rule %s\n\n%s\n\n", one.Name, one.Content)
	}
	if len(r.listed) > 0 {
		b.WriteString("# Rules\n\nThese files are rules of the user. Read those that are about what you are going to do, before you do it.\n\n")
	}
	for _, one := range r.listed {
		about := ""
		if len(one.Globs) > 0 {
			about = ", about " + strings.Join(one.Globs, " ")
		}
		fmt.Fprintf(&b, "- %s: %s (%s%s)\n", one.Name, one.Description, one.Path, about)
	}
	return b.String()
}

// WatchAnswer returns what looks for violated rules in an answer; see engine.AnswerWatcher.
func (r *rules) WatchAnswer(past engine.Past) func(event.Event) *engine.Violation {
	count := func(one *rule.Rule) bool {
		answers, before := past(one.Name)
		return !before || r.gap > 0 && answers >= r.gap
	}
	active := slices.DeleteFunc(slices.Clone(r.watched), func(one *rule.Rule) bool { return !count(one) })
	if len(active) == 0 {
		return nil
	}
	w := rule.NewWatch(active)
	return func(piece event.Event) *engine.Violation {
		switch e := piece.(type) {
		case event.TextDelta:
			return r.objection(w.Text(rule.Text, e.Block, e.Text), rule.Text)
		case event.ThinkingDelta:
			return r.objection(w.Text(rule.Thinking, e.Block, e.Text), rule.Thinking)
		case event.ToolInputDelta:
			return r.objection(w.Input(e.Block, e.Name, e.Text), rule.Tool)
		}
		return nil
	}
}

// objection is to rules that were broken: if one of them cuts the answer, it is cut for all.
func (r *rules) objection(broken []*rule.Rule, at rule.Source) *engine.Violation {
	if len(broken) == 0 {
		return nil
	}
	o := &engine.Violation{Forget: r.forget}
	var names []string
	var text strings.Builder
	for _, one := range broken {
		names = append(names, one.Name)
		o.Cut = o.Cut || one.Cuts(at, r.mode)
	}
	for _, one := range broken {
		text.WriteString(interruptText(one, o.Cut))
	}
	o.Rules = names
	content := strings.TrimSpace(text.String())
	o.Note = event.Note{
		Blocks: []model.Block{model.TextBlock(content)},
		Sent: rawjson.Marshal(message.Custom{
			Role: message.RoleCustom, CustomType: "ttsr-injection", Content: rawjson.Quoted(content), Attribution: "agent",
			Details: rawjson.Marshal(struct {
				Rules []string `json:"rules"`
			}{names}), Timestamp: r.now().UnixMilli(),
		}),
	}
	return o
}

// interruptText is the message to the model about a rule that it broke.
func interruptText(r *rule.Rule, cut bool) string {
	what := "What you wrote breaks a rule of the user. Keep to it from now on, and mend what you have done against it."
	if cut {
		what = "Your answer was stopped: it began to break a rule of the user. Answer again, and keep to the rule."
	}
	escape := strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;")
	return fmt.Sprintf("<system-interrupt reason=\"rule_violation\" rule=\"%s\" path=\"%s\">\n%s\n\n%s\n</system-interrupt>\n\n",
		escape.Replace(r.Name), escape.Replace(r.Path), what, r.Content)
}

// named returns the rules of those names as clients see them. Of one that is not there any more the
// name is left.
func (r *rules) named(names []string) []Rule {
	all := []Rule{}
	for _, name := range names {
		shown := Rule{Name: name, Condition: []string{}}
		for _, one := range r.watched {
			if one.Name == name {
				shown = r.shown(one)
			}
		}
		all = append(all, shown)
	}
	return all
}

func (r *rules) shown(one *rule.Rule) Rule {
	level := "user"
	if filepath.Dir(one.Path) == r.project {
		level = "project"
	}
	return Rule{
		Name: one.Name, Path: one.Path, Content: one.Content, AlwaysApply: one.Always, Description: one.Description, Globs: one.Globs,
		Condition: one.Condition, Scope: one.Scope, InterruptMode: string(one.Interrupt),
		Source: RuleSource{ProviderName: "Pisces", Path: one.Path, Level: level},
	}
}
