package serve

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// configValues returns what -c KEY=VALUE gives, as JSON by dotted keys. A value is one of TOML, else the text as it is.
func configValues(given []string) (map[string]jsontext.Value, error) {
	values := map[string]jsontext.Value{}
	for _, text := range given {
		key, value, ok := strings.Cut(text, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			return nil, fmt.Errorf("--config %q is not of the form KEY=VALUE", text)
		}
		var parsed map[string]any
		if _, err := toml.Decode("value = "+value, &parsed); err != nil || len(parsed) != 1 {
			parsed = map[string]any{"value": strings.Trim(strings.TrimSpace(value), `"'`)}
		}
		data, err := json.Marshal(parsed["value"], json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("--config %q: %w", text, err)
		}
		values[key] = data
	}
	return values, nil
}
