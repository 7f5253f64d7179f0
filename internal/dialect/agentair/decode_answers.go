package agentair

import "github.com/go-json-experiment/json/jsontext"

// This file reads the answers to requests.

func (f *fields) permissionResponse() PermissionResponse {
	return PermissionResponse{f.text("tool_use_id"), required(f, "response", permissionVote), f.optionalSessionID()}
}

func permissionVote(value jsontext.Value) (v PermissionVote, err error) {
	f, err := open(value, "struct PermissionPanelResponse")
	if err != nil {
		return v, err
	}
	v.Granted = required(f, "granted", boolean)
	v.Scope = ScopeOnce
	if scope := option(f, "scope", word(ScopeOnce, ScopeSession)); scope != nil {
		v.Scope = *scope
	}
	v.Grant = option(f, "grant", grant)
	v.Message = f.optionalText("message")
	return v, f.problem()
}

func (f *fields) batchPermissionResponse() BatchPermissionResponse {
	return BatchPermissionResponse{
		BatchID:          f.text("batch_id"),
		ApprovedGrants:   defaulted(f, "approved_grants", list(grant)),
		DeniedRequests:   defaulted(f, "denied_requests", list(text)),
		AutoApproved:     defaulted(f, "auto_approved", list(text)),
		ApprovedRequests: defaulted(f, "approved_requests", list(text)),
	}
}

// grant reads either form: the target is an object, or else the text of a request's target.
func grant(value jsontext.Value) (g Grant, err error) {
	f, err := open(value, "struct Grant")
	if err != nil {
		return g, err
	}
	if target, _ := f.obj.Get("target"); target.Kind() == jsontext.KindString {
		g.Target = f.flatTarget()
	} else {
		g.Target = required(f, "target", grantTarget)
	}
	g.Level = required(f, "level", word(LevelNone, LevelRead, LevelWrite, LevelExecute, LevelAdmin))
	g.ExpiresInSecs = option(f, "expires_in_secs", unsigned)
	return g, f.problem()
}

func grantTarget(value jsontext.Value) (t GrantTarget, err error) {
	f, err := open(value, "internally tagged enum GrantTarget")
	if err != nil {
		return t, err
	}
	t.Type = required(f, "type", word(GrantPath, GrantDomain, GrantCommand, GrantTool))
	switch t.Type {
	case GrantPath:
		t.Path, t.Recursive = f.text("path"), required(f, "recursive", boolean)
	case GrantDomain, GrantCommand:
		t.Pattern = f.text("pattern")
	case GrantTool:
		t.ToolName = f.text("tool_name")
	}
	return t, f.problem()
}

// flatTarget reads a target as a request has it. Only a path has to say whether it is recursive.
func (f *fields) flatTarget() (t GrantTarget) {
	target := f.text("target")
	switch required(f, "target_type", word(TargetPath, TargetDomain, TargetCommand)) {
	case TargetPath:
		return GrantTarget{Type: GrantPath, Path: target, Recursive: required(f, "recursive", boolean)}
	case TargetDomain:
		return GrantTarget{Type: GrantDomain, Pattern: target}
	case TargetCommand:
		return GrantTarget{Type: GrantCommand, Pattern: target}
	}
	return t
}

func (f *fields) userInteractionResponse() UserInteractionResponse {
	return UserInteractionResponse{f.text("tool_use_id"), required(f, "response", askUserQuestionsResponse), f.optionalSessionID()}
}

func askUserQuestionsResponse(value jsontext.Value) (r AskUserQuestionsResponse, err error) {
	f, err := open(value, "struct AskUserQuestionsResponse")
	if err != nil {
		return r, err
	}
	r.Answers = required(f, "answers", list(answer))
	return r, f.problem()
}

func answer(value jsontext.Value) (a Answer, err error) {
	f, err := open(value, "struct Answer")
	if err != nil {
		return a, err
	}
	a.Question = f.text("question")
	a.Answer = required(f, "answer", list(text))
	return a, f.problem()
}
