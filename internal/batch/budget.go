package batch

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/budget"
)

// A Budget is the limits of a task or of a batch. Its JSON form is an object with the names of budget.Parse.
type Budget budget.Limits

// ParseBudget reads limits as a flag has them: "cost=2.50,tool_calls=100".
func ParseBudget(text string) (Budget, error) {
	if text == "" {
		return Budget{}, nil
	}
	l, err := budget.Parse(text)
	return Budget(l), err
}

// Any reports whether any limit is set.
func (b Budget) Any() bool { return budget.Limits(b).Any() }

// IsZero reports whether no limit is set.
func (b Budget) IsZero() bool { return !b.Any() }

// String returns the limits as ParseBudget reads them.
func (b Budget) String() string { return budget.Limits(b).String() }

// MarshalJSONTo writes the limits that are set.
func (b Budget) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for pair := range strings.SplitSeq(b.String(), ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			continue // there are none
		}
		if err := enc.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		text := jsontext.Value(value)
		if name == wallTime {
			text = jsontext.Value(`"` + value + `"`)
		}
		if err := enc.WriteValue(text); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// wallTime is the one limit that is a text.
const wallTime = "wall_time"

// UnmarshalJSONFrom reads an object of numbers, of which wall_time is a duration.
func (b *Budget) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(value, &members); err != nil {
		return fmt.Errorf("want an object of limits")
	}
	var pairs []string
	for name, value := range members {
		text := string(value)
		switch kind := value.Kind(); {
		case name == wallTime && kind == '"':
			if err := json.Unmarshal(value, &text); err != nil {
				return err
			}
		case name == wallTime || kind != '0':
			return fmt.Errorf("%s: want a number, or of wall_time a text such as \"10m\"", name)
		}
		if strings.ContainsAny(text, ",=") {
			return fmt.Errorf("%s: cannot read %q", name, text)
		}
		pairs = append(pairs, name+"="+text)
	}
	if len(pairs) == 0 {
		*b = Budget{}
		return nil
	}
	*b, err = ParseBudget(strings.Join(pairs, ","))
	return err
}

// A Spending is what was used of a Budget. Unlike limits that are not set, nothing that was used is written as {}.
type Spending Budget

// MarshalJSONTo writes what was used.
func (s Spending) MarshalJSONTo(enc *jsontext.Encoder) error { return Budget(s).MarshalJSONTo(enc) }

// UnmarshalJSONFrom reads what MarshalJSONTo writes.
func (s *Spending) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return (*Budget)(s).UnmarshalJSONFrom(dec)
}

// A Duration is a time.Duration whose JSON form is a text such as "20m".
type Duration time.Duration

// MarshalText returns the text.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads the text.
func (d *Duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("want a duration such as \"20m\"")
	}
	*d = Duration(read)
	return nil
}
