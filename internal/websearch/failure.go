package websearch

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxReason is how much of a service's own words an error shows, in runes.
const maxReason = 200

// refused is an answer with an HTTP status that is no success.
func (c *client) refused(response *http.Response, body []byte) error {
	status := response.StatusCode
	text := fmt.Sprintf("the search service %s (HTTP %d)", c.whatHappened(status), status)
	if status == http.StatusTooManyRequests {
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
			text += fmt.Sprintf(", try again in %d s", seconds)
		}
	}
	if why := reason(body); why != "" {
		// The key is taken out of all that was said, before the end is cut off.
		why = c.failed("%s", why).Error()
		text += ": " + firstRunes(why, maxReason)
	}
	return c.failed("%s", text)
}

// whatHappened is a status as people say it. 432 and 433 are Tavily's.
func (c *client) whatHappened(status int) string {
	switch status {
	case 400, 413, 414, 422:
		return "does not take the query"
	case 401:
		return "refuses the key"
	case 402:
		return "wants to be paid"
	case 403:
		return cmp.Or(c.forbidden, "refuses access")
	case 404, 405:
		return "has no search there: check its base_url"
	case 429:
		return "says that the limit of searches is reached"
	case 432, 433:
		return "says that the plan's searches are used up"
	}
	switch {
	case status >= 300 && status < 400:
		return "redirects without saying where to"
	case status >= 500 || status == 408:
		return "has a failure of its own"
	}
	return "refuses the search"
}

// A fault is the union of the error objects in use: Brave's {"error":{"detail"}}, Tavily's
// {"detail":{"error"}}, and plainer ones.
type fault struct {
	Error   jsontext.Value `json:"error"`
	Detail  jsontext.Value `json:"detail"`
	Message jsontext.Value `json:"message"`
}

// reason is what a body says about a failure, as one line; "" of what is no JSON object.
func reason(body []byte) string {
	return strings.TrimSuffix(said(body, 4), ".")
}

func said(v jsontext.Value, depth int) string {
	switch {
	case depth == 0:
		return ""
	case v.Kind() == '"':
		var text string
		_ = json.Unmarshal(v, &text, lenient) // what cannot be read says nothing
		return oneLine(text)
	case v.Kind() == '{':
		var f fault
		if json.Unmarshal(v, &f, lenient) != nil {
			return ""
		}
		for _, member := range []jsontext.Value{f.Detail, f.Message, f.Error} {
			if text := said(member, depth-1); text != "" {
				return text
			}
		}
	}
	return ""
}

func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r)
	}), " ")
}

func firstRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
