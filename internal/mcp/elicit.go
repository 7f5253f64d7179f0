package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/mcp/form"
	"parley.dev/parley/internal/tool"
)

// Elicitation: servers ask the user for input.

// Limits of the texts of an elicitation, in bytes.
const (
	maxMessage = 2 << 10
	maxLabel   = 200
	maxAddress = 2 << 10
)

// maxRounds is how often the fields of a form are requested whose answers do not fit.
const maxRounds = 3

// The answers of a user to an elicitation.
const (
	answerIt   = "Answer"
	acceptIt   = "Accept"
	openedIt   = "I have opened it"
	finishedIt = "I have finished there: try again"
	declineIt  = "Decline"
)

// The actions of an elicitation's result.
const (
	actionAccept  = "accept"
	actionDecline = "decline"
	actionCancel  = "cancel"
)

// elicit answers a request of the server for input of the user.
func (l *connection) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	if r.Params == nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params are missing"}
	}
	s, err := l.scopeFor(ctx, r.Params.Meta)
	if err != nil {
		return nil, err
	}
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	if r.Params.URL != "" {
		return s.elicitURL(ctx, r.Params, openedIt)
	}
	return s.elicitForm(ctx, r.Params)
}

// elicitForm requests the fields of a form. The user first accepts or declines to answer at all.
func (s *scope) elicitForm(ctx context.Context, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	f, err := s.parseForm(p)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	text := fmt.Sprintf("The tool server %q asks for your input. Its words: %q", s.name(), s.show(p.Message, maxMessage))
	yes := acceptIt
	if len(f.Fields) > 0 {
		yes = answerIt
	}
	schema, err := s.shownSchema(p)
	if err != nil {
		return nil, err
	}
	action, filled, err := s.choose(ctx, text, yes, &event.Elicitation{Server: s.name(), Message: s.show(p.Message, maxMessage), Schema: schema})
	if errors.Is(err, tool.ErrUnattended) {
		return s.permitForm(ctx, f, text)
	}
	if action != actionAccept || len(f.Fields) == 0 {
		return &sdk.ElicitResult{Action: action}, nil
	}
	content, problems, open := map[string]any{}, map[string]string{}, f.Fields
	if filled != "" {
		content, problems = f.Fill(jsontext.Value(filled))
		open = slices.DeleteFunc(slices.Clone(f.Fields), func(field form.Field) bool { return problems[field.Name] == "" })
		if len(open) == 0 {
			return &sdk.ElicitResult{Action: actionAccept, Content: content}, nil
		}
	}
	for range maxRounds {
		var questions []event.Question
		for _, field := range open {
			questions = append(questions, field.Question(problems[field.Name]))
		}
		answers, err := s.hooks.Ask(ctx, questions)
		if err != nil || answers == nil {
			return &sdk.ElicitResult{Action: actionCancel}, nil
		}
		var left []form.Field
		for i, field := range open {
			var given []string
			if i < len(answers) {
				given = answers[i]
			}
			value, err := field.Value(given)
			switch {
			case err != nil:
				problems[field.Name] = err.Error()
				left = append(left, field)
			case value != nil:
				content[field.Name] = value
			}
		}
		if open = left; len(open) == 0 {
			return &sdk.ElicitResult{Action: actionAccept, Content: content}, nil
		}
	}
	return &sdk.ElicitResult{Action: actionCancel}, nil
}

// permitForm asks where a client can only approve or deny: a form without fields, or one that its
// defaults fill in. Others are declined.
func (s *scope) permitForm(ctx context.Context, f form.Form, text string) (*sdk.ElicitResult, error) {
	content, whole := f.Defaults()
	if !whole {
		return &sdk.ElicitResult{Action: actionDecline}, nil
	}
	if len(content) > 0 {
		values, err := json.Marshal(content, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		text += " It gets: " + s.show(string(values), maxMessage)
	}
	action := s.permit(ctx, text)
	if action != actionAccept {
		return &sdk.ElicitResult{Action: action}, nil
	}
	return &sdk.ElicitResult{Action: action, Content: content}, nil
}

// elicitURL shows an address, which the user may open. It is never opened by Parley.
func (s *scope) elicitURL(ctx context.Context, p *sdk.ElicitParams, yes string) (*sdk.ElicitResult, error) {
	address, host, err := shownAddress(p.URL)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	text := fmt.Sprintf("The tool server %q asks you to open an address of %s in a browser, which is not done for you: %s", s.name(), host, address)
	if words := s.show(p.Message, maxMessage); words != "" {
		text += fmt.Sprintf(" Its words: %q", words)
	}
	action, _, err := s.choose(ctx, text, yes, &event.Elicitation{Server: s.name(), Message: s.show(p.Message, maxMessage), URL: address})
	if errors.Is(err, tool.ErrUnattended) {
		action = s.permit(ctx, text)
	}
	return &sdk.ElicitResult{Action: action}, nil
}

// shownAddress returns an address and its host as they can be shown: in ASCII, without a user.
func shownAddress(text string) (address, host string, err error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", "", errors.New("the address is not that of a web page")
	case len(text) > maxAddress:
		return "", "", fmt.Errorf("the address has more than %d bytes", maxAddress)
	case u.User != nil:
		return "", "", errors.New("the address names a user")
	}
	notASCII := func(r rune) bool { return r <= ' ' || r > '~' }
	if strings.ContainsFunc(u.Host, notASCII) {
		return "", "", errors.New("the host of the address is not written in ASCII")
	}
	if address = u.String(); strings.ContainsFunc(address, notASCII) {
		return "", "", errors.New("the address is not written in ASCII")
	}
	return address, u.Host, nil
}

// choose asks whether the user accepts something; yes is the answer that does. Filled is the values of the form, if the client has shown
// it.
func (s *scope) choose(ctx context.Context, text, yes string, f *event.Elicitation) (action, filled string, err error) {
	answers, err := s.hooks.Ask(ctx, []event.Question{{
		Text: text, Header: s.name(), Options: []event.Option{{Label: yes}, {Label: declineIt}}, Elicitation: f,
	}})
	switch {
	case errors.Is(err, tool.ErrUnattended):
		return actionDecline, "", err
	case err != nil || len(answers) == 0 || len(answers[0]) == 0:
		return actionCancel, "", nil
	case slices.Equal(answers[0], []string{yes}):
		return actionAccept, "", nil
	case len(answers[0]) == 2 && answers[0][0] == yes && f != nil && f.URL == "":
		return actionAccept, answers[0][1], nil
	}
	return actionDecline, "", nil
}

// permit is choose by an approval.
func (s *scope) permit(ctx context.Context, text string) (action string) {
	err := s.hooks.Permit(ctx, text, "asked for by a tool server, not by the model")
	switch {
	case err == nil:
		return actionAccept
	case ended(ctx, err):
		return actionCancel
	}
	return actionDecline
}

// name returns the name of the server, for users.
func (s *scope) name() string { return s.show(s.user.name, maxLabel) }

// parseForm reads the form of an elicitation, its fields in the order of the server.
func (s *scope) parseForm(p *sdk.ElicitParams) (form.Form, error) {
	if p.RequestedSchema == nil {
		return form.Form{}, nil
	}
	schema, err := json.Marshal(p.RequestedSchema, json.Deterministic(true))
	if err != nil {
		return form.Form{}, errors.New("the schema of the form cannot be read")
	}
	f, err := form.Parse(jsontext.Value(schema), func(text string) string { return s.show(text, maxLabel) })
	if err != nil {
		return f, err
	}
	order, _ := p.Meta[metaOrder].([]any)
	place := func(f form.Field) int {
		i := slices.Index(order, any(f.Name))
		if i < 0 {
			i = len(order)
		}
		return i
	}
	slices.SortStableFunc(f.Fields, func(a, b form.Field) int { return place(a) - place(b) })
	return f, nil
}

// shownSchema returns the schema of a form as clients are sent it: its texts fit to be shown. No schema has none.
func (s *scope) shownSchema(p *sdk.ElicitParams) (jsontext.Value, error) {
	if p.RequestedSchema == nil {
		return nil, nil
	}
	data, err := json.Marshal(p.RequestedSchema, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	var schema any
	if err := json.Unmarshal(data, &schema); err != nil {
		return nil, err
	}
	return json.Marshal(s.shownTexts(schema), json.Deterministic(true))
}

// shownTexts returns a part of a schema with its texts for users fit to be shown; the values in it stay.
func (s *scope) shownTexts(part any) any {
	switch part := part.(type) {
	case []any:
		for i, one := range part {
			part[i] = s.shownTexts(one)
		}
	case map[string]any:
		for name, value := range part {
			switch text, isText := value.(string); {
			case isText && (name == "title" || name == "description"):
				part[name] = s.show(text, maxLabel)
			case name == "enumNames":
				part[name] = s.shownLabels(value)
			default:
				part[name] = s.shownTexts(value)
			}
		}
	}
	return part
}

func (s *scope) shownLabels(value any) any {
	labels, _ := value.([]any)
	for i, label := range labels {
		if text, ok := label.(string); ok {
			labels[i] = s.show(text, maxLabel)
		}
	}
	return labels
}

// awaitElicited shows the addresses that a server names as what has to be done before a call
// (URLElicitationRequiredError), and reports whether the user has done all of it.
func (s *scope) awaitElicited(ctx context.Context, refusal *jsonrpc.Error) bool {
	var data struct {
		Elicitations []struct {
			Mode    string `json:"mode"`
			URL     string `json:"url"`
			Message string `json:"message"`
		} `json:"elicitations"`
	}
	if refusal.Code != sdk.CodeURLElicitationRequired || json.Unmarshal(jsontext.Value(refusal.Data), &data) != nil || len(data.Elicitations) == 0 {
		return false
	}
	for _, e := range data.Elicitations {
		if e.Mode != "url" {
			return false
		}
		asking, end, err := s.begin(ctx)
		if err != nil {
			return false
		}
		r, err := s.elicitURL(asking, &sdk.ElicitParams{URL: e.URL, Message: e.Message}, finishedIt)
		end()
		if err != nil || r.Action != actionAccept {
			return false
		}
	}
	return true
}
