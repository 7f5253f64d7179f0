package websearch

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/text"
)

// maxReason is how much of a service's own message an error shows, in characters.
const maxReason = 200

// refused returns the error for a response with an HTTP status other than success.
func (c *client) refused(response *http.Response, body []byte) error {
	status := response.StatusCode
	message := fmt.Sprintf("the search service %s (HTTP %d)", c.whatHappened(status), status)
	if status == http.StatusTooManyRequests {
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
			message += fmt.Sprintf(", try again in %d s", seconds)
		}
	}
	if why := reason(body); why != "" {
		// The key is redacted before the text is shortened.
		why = c.failed("%s", why).Error()
		message += ": " + text.FitRunes(why, maxReason, "…")
	}
	return c.failed("%s", message)
}

// whatHappened returns the meaning of a status as a phrase. 432 and 433 are Tavily's.
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

// reason returns the message of an error response, as one line; "" if body is not a JSON object.
func reason(body []byte) string {
	return strings.TrimSuffix(messageIn(body, 4), ".")
}

func messageIn(v jsontext.Value, depth int) string {
	switch {
	case depth == 0:
		return ""
	case v.Kind() == '"':
		var s string
		_ = json.Unmarshal(v, &s, lenient.Get()) // an unreadable string is ""
		return text.Printable(s)
	case v.Kind() == '{':
		var f fault
		if json.Unmarshal(v, &f, lenient.Get()) != nil {
			return ""
		}
		for _, member := range []jsontext.Value{f.Detail, f.Message, f.Error} {
			if message := messageIn(member, depth-1); message != "" {
				return message
			}
		}
	}
	return ""
}
