package native

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire"
)

// change changes the settings (session/change).
func (s *session) change(_ context.Context, p *SessionChangeParams) (result HeadResult, err error) {
	st := s.eng.State()
	if p.Expected != 0 && p.Expected != st.Changed {
		return result, failure(CodeStale, "the settings were changed meanwhile", ErrorData{Kind: "stale", Changed: st.Changed})
	}
	settings := st.Settings
	if err := s.conn.patch(&settings, p.Settings); err != nil {
		return result, err
	}
	if err := s.client.Change(func(now *event.Settings) { *now = settings }); err != nil {
		return result, err
	}
	return HeadResult{s.eng.State().Head}, nil
}

// patch applies a merge patch (RFC 7396) to settings, and checks what comes of it.
func (c *conn) patch(settings *event.Settings, patch jsontext.Value) error {
	if patch == nil {
		return nil
	}
	merged, err := mergePatch(value(settings), patch)
	if err != nil {
		return invalidMember("settings", "must be an object")
	}
	var next event.Settings
	if err := wire.DecodeValue(merged, &next, frames.Object); err != nil {
		if field, ok := errors.AsType[*wire.FieldError](err); ok {
			field.Field = wire.FieldPath("settings", field.Field)
		}
		return paramsError("", err)
	}
	if err := c.checkSettings(*settings, &next); err != nil {
		return err
	}
	*settings = next
	return nil
}

// mergePatch returns a value with a merge patch applied (RFC 7396).
func mergePatch(target, patch jsontext.Value) (jsontext.Value, error) {
	var changes map[string]jsontext.Value
	if patch.Kind() != '{' {
		return nil, errors.New("the patch is no object")
	}
	if err := json.Unmarshal(patch, &changes); err != nil {
		return nil, err
	}
	members := map[string]jsontext.Value{}
	if target.Kind() == '{' {
		if err := json.Unmarshal(target, &members); err != nil {
			return nil, err
		}
	}
	for name, change := range changes {
		switch change.Kind() {
		case 'n':
			delete(members, name)
		case '{':
			merged, err := mergePatch(members[name], change)
			if err != nil {
				return nil, err
			}
			members[name] = merged
		default:
			members[name] = change
		}
	}
	return json.Marshal(members, json.Deterministic(true))
}

// checkSettings checks what differs in settings.
func (c *conn) checkSettings(before event.Settings, next *event.Settings) error {
	if next.Mode != before.Mode && next.Mode != "" {
		if _, err := approval.ParseMode(next.Mode); err != nil {
			return invalidMember("settings.mode", "is not known: "+err.Error())
		}
	}
	if err := settlePolicy(before, next); err != nil {
		return err
	}
	if next.Model != before.Model && next.Model != "" {
		if err := c.checkModel(next.Model); err != nil {
			return err
		}
	}
	refused, err := approval.ParseSubjects(next.RefusedApprovals)
	if err != nil {
		return invalidMember("settings.refused_approvals", "has a word that is not known: "+err.Error())
	}
	next.RefusedApprovals = refused
	if next.Dir != "" && !filepath.IsAbs(next.Dir) {
		return invalidMember("settings.dir", "must be an absolute path")
	}
	if next.Dir != "" && next.Dir != before.Dir && c.cfg.Host.Limited() {
		return c.resolveDir(next)
	}
	return nil
}

// settlePolicy makes what a client has changed decide about calls: the mode, or asking and sandbox.
func settlePolicy(before event.Settings, next *event.Settings) error {
	bySandbox := next.Asking != before.Asking || !next.Sandbox.Equal(before.Sandbox)
	switch {
	case next.Mode != before.Mode && !bySandbox:
		engine.DecideByMode(next, approval.Mode(next.Mode))
	case next.Asking == "":
	case next.Asking != before.Asking && !next.Asking.Known():
		return invalidMember("settings.asking", "must be never, on-request, unless-trusted or always")
	case bySandbox && !next.Sandbox.Kind.Known():
		return invalidMember("settings.sandbox.kind", "must be read-only, workspace-write, external or full-access where asking is set")
	case bySandbox && next.Mode == before.Mode:
		next.Mode = ""
	}
	return nil
}

// resolveDir makes the folder of settings one without symlinks, which cannot lead out of what the connection can reach
// later.
func (c *conn) resolveDir(settings *event.Settings) (err error) {
	settings.Dir, err = c.cfg.Host.Folder(settings.Dir)
	if err != nil && !errors.Is(err, engine.ErrOutside) {
		return invalidMember("settings.dir", "is no folder that can be used: "+err.Error())
	}
	return err
}

// checkModel checks that a model can be called.
func (c *conn) checkModel(name string) error {
	if err := c.cfg.Host.CheckModel(name); err != nil {
		return failure(CodeNoModel, err.Error(), ErrorData{Kind: "no_model"})
	}
	return nil
}

// absolute returns a workspace as a client names it, below the folder of the connection.
func (c *conn) absolute(dir string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(c.cfg.Cwd, dir)
}
