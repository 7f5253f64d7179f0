package acptest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// An Official checks the frames of one connection against the official schema, each on its own and answers against the
// requests that they belong to. It wants the frames of both directions in the order in which they were sent.
type Official struct {
	schema *document
	batch  bool // a line may be an array of frames

	toAgent, toClient map[string][]string // the methods of requests without an answer, by id
}

// NewOfficial returns an Official for a draft: V1, V1Unstable or V2.
func NewOfficial(draft string) (*Official, error) {
	read, ok := documents[draft]
	if !ok {
		return nil, fmt.Errorf("there is no schema %q", draft)
	}
	schema, err := read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", draft, err)
	}
	return &Official{schema: schema, batch: draft == V2, toAgent: map[string][]string{}, toClient: map[string][]string{}}, nil
}

// Source returns the package, the version and the licence of the schema.
func (o *Official) Source() string { return o.schema.source }

// FromClient checks a line that the client sent. A test that sends wrong lines on purpose ignores the result, and calls it all the
// same: the answers of the agent are checked by the requests.
func (o *Official) FromClient(line []byte) error {
	return o.line(line, agentSide, o.toAgent, o.toClient)
}

// FromAgent checks a line that the agent sent.
func (o *Official) FromAgent(line []byte) error {
	return o.line(line, clientSide, o.toClient, o.toAgent)
}

// Unanswered returns the requests of the client without an answer, as "method id".
func (o *Official) Unanswered() (all []string) {
	for _, id := range slices.Sorted(maps.Keys(o.toAgent)) {
		for _, method := range o.toAgent[id] {
			all = append(all, method+" "+id)
		}
	}
	return all
}

// line checks a line to a side: its requests are added to sent, its answers are for those in answered.
func (o *Official) line(line []byte, to side, sent, answered map[string][]string) error {
	var value any
	if err := json.Unmarshal(line, &value); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	frames := []any{value}
	if list, ok := value.([]any); ok && o.batch && len(list) > 0 {
		frames = list
	}
	for _, f := range frames {
		members, ok := f.(map[string]any)
		if !ok {
			return fmt.Errorf("not an object: %s", line)
		}
		if err := o.frame(members, to, sent, answered); err != nil {
			return fmt.Errorf("%w in %s", err, line)
		}
	}
	return nil
}

// frame checks one frame.
func (o *Official) frame(f map[string]any, to side, sent, answered map[string][]string) error {
	if f["jsonrpc"] != "2.0" {
		return errors.New(`jsonrpc is not "2.0"`)
	}
	_, isCall := f["method"]
	id, hasID := f["id"]
	if hasID && !isID(id) {
		return errors.New("id is no string, integer or null")
	}
	switch {
	case isCall && hasID:
		return o.call(f, to, request, func(method string) { sent[key(id)] = append(sent[key(id)], method) })
	case isCall:
		return o.call(f, to, notification, func(string) {})
	case hasID:
		return o.answer(f, to, answered)
	}
	return errors.New("neither a call nor an answer")
}

// call checks a request or a notification; note is called with its method.
func (o *Official) call(f map[string]any, to side, as part, note func(method string)) error {
	method, ok := f["method"].(string)
	if !ok {
		return errors.New("method is no string")
	}
	note(method)
	if err := only(f, "jsonrpc", "id", "method", "params"); err != nil {
		return err
	}
	if strings.HasPrefix(method, "_") {
		return nil // an extension
	}
	name := o.schema.names[use{to, method, as}]
	if name == "" {
		name = o.schema.names[use{bothSides, method, as}]
	}
	if name == "" {
		return fmt.Errorf("the schema has no %s %s to the %s", strings.ToLower(string(as)), method, to)
	}
	return o.value(name, f["params"])
}

// answer checks an answer to a request of the side that it goes to.
func (o *Official) answer(f map[string]any, to side, answered map[string][]string) error {
	_, failed := f["error"]
	_, succeeded := f["result"]
	if failed == succeeded {
		return errors.New("not exactly one of result and error")
	}
	if err := only(f, "jsonrpc", "id", "result", "error"); err != nil {
		return err
	}
	id := f["id"]
	open := answered[key(id)]
	switch {
	case len(open) == 0 && !(failed && id == nil): // null: the request could not be read
		return fmt.Errorf("no request %v waits for an answer", id)
	case failed:
		o.done(answered, id)
		return o.failure(f["error"])
	}
	o.done(answered, id)
	if method := open[0]; !strings.HasPrefix(method, "_") {
		name := o.schema.names[use{other(to), method, response}]
		if name == "" {
			return fmt.Errorf("a result for %s, which the schema does not have", method)
		}
		return o.value(name, f["result"])
	}
	return nil
}

// done removes the oldest request with an id.
func (o *Official) done(answered map[string][]string, id any) {
	if open := answered[key(id)]; len(open) > 1 {
		answered[key(id)] = open[1:]
	} else {
		delete(answered, key(id))
	}
}

// failure checks an error object, whose message is one sentence without line breaks.
func (o *Official) failure(value any) error {
	if err := o.schema.fits("Error", value); err != nil {
		return err
	}
	if message, _ := value.(map[string]any)["message"].(string); strings.ContainsAny(message, "\r\n") {
		return errors.New("the message of the error has a line break")
	}
	return nil
}

// value checks params or a result; null and absent are an empty object.
func (o *Official) value(name string, value any) error {
	if value == nil {
		value = map[string]any{}
	}
	return o.schema.fits(name, value)
}

func other(s side) side {
	if s == agentSide {
		return clientSide
	}
	return agentSide
}

// only returns an error if an object has other members than these.
func only(f map[string]any, names ...string) error {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("unknown member %s", name)
		}
	}
	return nil
}

func isID(id any) bool {
	switch id := id.(type) {
	case nil, string:
		return true
	case float64:
		return id == float64(int64(id))
	}
	return false
}

// key returns an id as a key: 1 and "1" differ.
func key(id any) string { return fmt.Sprintf("%#v", id) }
