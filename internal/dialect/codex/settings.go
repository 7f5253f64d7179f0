package codex

import (
	"cmp"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file contains the settings of threads, as requests give them and as answers show them.

// An extra is the settings of a thread that no other protocol has. It is stored as event.Settings.Options[profile].
type extra struct {
	Originator   string                  `json:"originator,omitzero"` // clientInfo.name of the client that made the thread
	Source       string                  `json:"source,omitzero"`
	ThreadSource string                  `json:"threadSource,omitzero"`
	Ephemeral    bool                    `json:"ephemeral,omitzero"`
	Granular     *AskForApprovalGranular `json:"granular,omitzero"` // the policy as clients see it; see refusedSubjects
	Summary      ReasoningSummary        `json:"summary,omitzero"`
	Personality  Personality             `json:"personality,omitzero"`
	Plan         bool                    `json:"plan,omitzero"`             // the collaboration mode
	PlanText     string                  `json:"planInstructions,omitzero"` // developer_instructions of the mode
	Window       int                     `json:"window,omitzero"`           // tokens of context that turns work with
	Reading      reading                 `json:"reading,omitzero"`
	Git          GitInfo                 `json:"git,omitzero"`      // as a client has it
	NoSearch     bool                    `json:"noSearch,omitzero"` // the web is not searched
	Goal         *goal                   `json:"goal,omitzero"`     // nil: there is none
}

// extraOf returns the extra of settings.
func extraOf(s event.Settings) (x extra) {
	_ = json.Unmarshal(s.Options[profile], &x) // what cannot be read is not there
	return x
}

// store puts the extra into settings, whose options are copied.
func (x extra) store(s *event.Settings) {
	options := map[string]jsontext.Value{}
	for name, value := range s.Options {
		options[name] = value
	}
	options[profile] = marshal(x)
	if reflect.ValueOf(x).IsZero() {
		delete(options, profile)
	}
	s.Options = options
	s.ToolGroups = x.toolGroups(s.ToolGroups)
}

// toolGroups returns the groups of tools that are switched on, of others and of this protocol, sorted.
func (x extra) toolGroups(all []string) []string {
	groups := slices.DeleteFunc(slices.Clone(all), func(g string) bool { return g == groupPlan || g == groupGoal })
	if x.Goal != nil && (x.Goal.Status == ThreadGoalStatusActive || x.Goal.Status == ThreadGoalStatusBudgetLimited) {
		groups = append(groups, groupGoal)
	}
	if x.Plan {
		groups = append(groups, groupPlan)
	}
	if len(groups) == 0 {
		return nil
	}
	slices.Sort(groups)
	return groups
}

// editExtra returns a change of the settings that edits the extra.
func editExtra(edit func(*extra)) func(*event.Settings) {
	return func(s *event.Settings) {
		x := extraOf(*s)
		edit(&x)
		x.store(s)
	}
}

// overrides are the settings that several requests can give; what is zero is not given.
type overrides struct {
	model, provider string
	cwd             string
	policy          *AskForApproval
	sandbox         *SandboxPolicy
	mode            SandboxMode
	permissions     string
	base, developer string
	effort          string
	summary         ReasoningSummary
	personality     Personality
	collaboration   *CollaborationMode
	config          map[string]jsontext.Value
	// What only a configuration gives.
	window    *int64
	workspace *SandboxWorkspaceWrite
	search    WebSearchMode
}

// apply changes the settings, or nothing.
func (c *conn) apply(settings *event.Settings, o overrides) error {
	changed, x := *settings, extraOf(*settings)
	if o.permissions != "" && (o.sandbox != nil || o.mode != "") {
		return refused("`permissions` cannot be combined with `sandbox`")
	}
	if err := c.applyConfig(&o); err != nil {
		return err
	}
	if o.model != "" || o.provider != "" {
		changed.Model = c.modelName(o.model, o.provider, changed.Model)
	}
	if o.cwd != "" {
		if !filepath.IsAbs(o.cwd) {
			return invalid("cwd must be an absolute path")
		}
		dir, err := c.cfg.Host.Folder(o.cwd)
		if err != nil {
			return invalid("cwd must be an existing folder")
		}
		changed.Dir = dir
	}
	sandbox, err := sandboxOf(o)
	if err != nil {
		return err
	}
	if o.policy != nil || sandbox != nil || o.workspace != nil {
		engine.DecideBySandbox(&changed)
	}
	if o.policy != nil {
		changed.Asking, x.Granular = askings[o.policy.Word], o.policy.Granular
		changed.RefusedApprovals = nil
		if x.Granular != nil {
			changed.Asking, changed.RefusedApprovals = approval.AskOnRequest, refusedSubjects(*x.Granular)
		}
	}
	if sandbox != nil {
		changed.Sandbox = *sandbox
	}
	if changed.Sandbox, err = widen(changed.Sandbox, o.workspace); err != nil {
		return err
	}
	if o.window != nil {
		x.Window = int(*o.window)
	}
	if o.search != "" {
		x.NoSearch = o.search == WebSearchModeDisabled
	}
	changed.SystemPrompt, changed.Instructions = cmp.Or(o.base, changed.SystemPrompt), cmp.Or(o.developer, changed.Instructions)
	if o.effort != "" {
		changed.Thinking = thinkingOf(o.effort)
	}
	x.Summary, x.Personality = cmp.Or(o.summary, x.Summary), cmp.Or(o.personality, x.Personality)
	if m := o.collaboration; m != nil {
		x.Plan, x.PlanText = m.Mode == ModeKindPlan, string(m.Settings.DeveloperInstructions)
		if m.Settings.Model != "" {
			changed.Model = c.modelName(m.Settings.Model, "", changed.Model)
		}
		if m.Settings.ReasoningEffort != "" {
			changed.Thinking = thinkingOf(string(m.Settings.ReasoningEffort))
		}
	}
	x.store(&changed)
	*settings = changed
	return nil
}

// modelName returns the name of a model for Settings.Model: id is bare, or has its provider before it.
func (c *conn) modelName(id, provider, current string) string {
	if id == "" {
		return current
	}
	if provider == "" {
		if _, plausible := c.cfg.Host.DescribeModel(id); plausible && strings.Contains(id, "/") {
			return id
		}
		provider = c.providerOf(c.defaultModel())
	}
	if name := provider + "/" + id; provider != "" {
		if _, plausible := c.cfg.Host.DescribeModel(name); plausible {
			return name
		}
	}
	return id
}

// modelOf returns the model that a thread with these settings works with.
func (c *conn) modelOf(s event.Settings) string { return cmp.Or(s.Model, c.defaultModel()) }

// providerOf returns the provider of a model, and modelID how clients know the model: bare where the provider is the default
// one.
func (c *conn) providerOf(name string) string {
	info, _ := c.cfg.Host.DescribeModel(name)
	if provider, _, ok := strings.Cut(name, "/"); ok && info.Provider == "" {
		return provider
	}
	return info.Provider
}

func (c *conn) modelID(name string) string {
	provider := c.providerOf(c.defaultModel())
	if id, ok := strings.CutPrefix(name, provider+"/"); ok && provider != "" {
		return id
	}
	return name
}

// efforts are the words for levels of thinking that differ from ours.
var efforts = map[string]model.Thinking{"none": model.Off, "max": model.XHigh, "ultra": model.XHigh}

func thinkingOf(effort string) model.Thinking { return cmp.Or(efforts[effort], model.Thinking(effort)) }

// effortOf returns a level as clients know it; "" is the model's default.
func effortOf(t model.Thinking) nullString {
	if t == model.Off {
		return "none"
	}
	return nullString(t)
}

var askings = map[string]approval.Asking{
	"never": approval.AskNever, "on-request": approval.AskOnRequest, "untrusted": approval.AskUnlessTrusted,
}

// refusedSubjects returns what a policy refuses approvals of, sorted. Skills need no approval here.
func refusedSubjects(g AskForApprovalGranular) []approval.Subject {
	var refused []approval.Subject
	for _, one := range []struct {
		subject   approval.Subject
		requested bool
	}{
		{approval.SubjectHook, g.Rules},
		{approval.SubjectNetwork, isTrue(g.RequestPermissions)},
		{approval.SubjectSandbox, g.SandboxApproval},
		{approval.SubjectServer, g.MCPElicitations},
	} {
		if !one.requested {
			refused = append(refused, one.subject)
		}
	}
	return refused
}

// policyOf returns the policy of settings as clients see it.
func policyOf(s event.Settings) AskForApproval {
	now, _ := engine.ContainmentOf(s)
	if x := extraOf(s); x.Granular != nil && now == approval.AskOnRequest && slices.Equal(s.RefusedApprovals, refusedSubjects(*x.Granular)) {
		return AskForApproval{Granular: x.Granular}
	}
	for word, asking := range askings {
		if asking == now {
			return AskForApproval{Word: word}
		}
	}
	return AskForApproval{Word: "untrusted"}
}

// The profiles of permissions that there are.
const (
	profileReadOnly   = ":read-only"
	profileWorkspace  = ":workspace"
	profileFullAccess = ":danger-full-access"
)

// sandboxKinds are the words that stand for a sandbox of that kind.
var sandboxKinds = map[string]approval.SandboxKind{
	"read-only": approval.SandboxReadOnly, "workspace-write": approval.SandboxWorkspace, "danger-full-access": approval.SandboxNone,
	profileReadOnly: approval.SandboxReadOnly, profileWorkspace: approval.SandboxWorkspace, profileFullAccess: approval.SandboxNone,
}

// sandboxOf returns the sandbox that a request gives; nil: none.
func sandboxOf(o overrides) (*approval.Sandbox, error) {
	if word := cmp.Or(o.permissions, string(o.mode)); word != "" {
		kind, ok := sandboxKinds[word]
		if !ok {
			return nil, invalid("permissions: there is no profile `" + abridged(word) + "`")
		}
		return &approval.Sandbox{Kind: kind}, nil
	}
	if o.sandbox == nil {
		return nil, nil
	}
	s := approval.Sandbox{}
	switch p := o.sandbox.Value.(type) {
	case DangerFullAccessSandboxPolicy:
		s.Kind = approval.SandboxNone
	case ReadOnlySandboxPolicy:
		s.Kind = approval.SandboxReadOnly
	case ExternalSandboxSandboxPolicy:
		s.Kind, s.Network = approval.SandboxExternal, p.NetworkAccess == NetworkAccessEnabled
	case WorkspaceWriteSandboxPolicy:
		s.Kind, s.Network = approval.SandboxWorkspace, isTrue(p.NetworkAccess)
		s.NoTempDir, s.NoSlashTmp = isTrue(p.ExcludeTmpdirEnvVar), isTrue(p.ExcludeSlashTmp)
		for _, root := range p.WritableRoots {
			if !filepath.IsAbs(root) {
				return nil, invalid("writableRoots must be absolute paths")
			}
			dir := filepath.Clean(root)
			if real, err := engine.Workspace(dir); err == nil {
				dir = real
			}
			s.Roots = append(s.Roots, dir)
		}
	}
	return &s, nil
}

func isTrue(b *bool) bool { return b != nil && *b }

// shownSandbox returns a sandbox as clients see it.
func shownSandbox(s approval.Sandbox) SandboxPolicy {
	no := false
	switch s.Kind {
	case approval.SandboxNone:
		return SandboxPolicy{DangerFullAccessSandboxPolicy{}}
	case approval.SandboxExternal:
		access := NetworkAccessRestricted
		if s.Network {
			access = NetworkAccessEnabled
		}
		return SandboxPolicy{ExternalSandboxSandboxPolicy{NetworkAccess: access}}
	case approval.SandboxWorkspace:
		roots := s.Roots
		if roots == nil {
			roots = []string{}
		}
		return SandboxPolicy{WorkspaceWriteSandboxPolicy{WritableRoots: roots, NetworkAccess: &s.Network, ExcludeSlashTmp: &s.NoSlashTmp, ExcludeTmpdirEnvVar: &s.NoTempDir}}
	}
	return SandboxPolicy{ReadOnlySandboxPolicy{NetworkAccess: &no}}
}

// shownProfile returns the profile that a sandbox is, if it is one.
func shownProfile(s approval.Sandbox) *ActivePermissionProfile {
	ids := map[approval.SandboxKind]string{
		approval.SandboxReadOnly: profileReadOnly, approval.SandboxWorkspace: profileWorkspace, approval.SandboxNone: profileFullAccess,
	}
	if id := ids[s.Kind]; id != "" && s.Equal(approval.Sandbox{Kind: s.Kind}) {
		return &ActivePermissionProfile{ID: id}
	}
	return nil
}

// collaboration returns the collaboration mode of a thread.
func (c *conn) collaboration(s event.Settings) CollaborationMode {
	x, mode := extraOf(s), ModeKindDefault
	if x.Plan {
		mode = ModeKindPlan
	}
	return CollaborationMode{Mode: mode, Settings: Settings{Model: c.modelID(c.modelOf(s)), ReasoningEffort: effortOf(s.Thinking), DeveloperInstructions: nullString(x.PlanText)}}
}

// shownSettings returns the settings of a thread as clients see them.
func (c *conn) shownSettings(s event.Settings, dir string) ThreadSettings {
	x := extraOf(s)
	_, sandbox := engine.ContainmentOf(s)
	return ThreadSettings{
		ApprovalPolicy: policyOf(s), ApprovalsReviewer: ApprovalsReviewerUser, CollaborationMode: c.collaboration(s), Cwd: dir,
		Effort: effortOf(s.Thinking), Model: c.modelID(c.modelOf(s)), ModelProvider: c.providerOf(c.modelOf(s)), SandboxPolicy: shownSandbox(sandbox),
		Summary: x.Summary, Personality: x.Personality, ActivePermissionProfile: shownProfile(sandbox),
	}
}
