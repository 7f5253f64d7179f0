package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/text"
)

// RequestLink asks the host at base, an address with http or https, for a one-time link by which a browser signs in. The
// token is an owner's; role is what the browser may do, "" is everything.
func RequestLink(ctx context.Context, base, token, role string) (string, error) {
	origin, err := ParseOrigin(base)
	if err != nil {
		return "", err
	}
	body, _ := json.Marshal(linkRequest{role}) // of a text: cannot fail
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, origin.String()+"/v1/link", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	client := newClient(origin.scheme == "https")
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return "", noAnswer(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, refusalLimit))
	if err != nil {
		return "", noAnswer(err)
	}
	var answer linkAnswer
	switch {
	case resp.StatusCode != http.StatusOK:
		return "", fmt.Errorf("the host refuses: %s", text.Printable(string(data)))
	case json.Unmarshal(data, &answer) != nil || !strings.HasPrefix(answer.URL, "http"):
		return "", errors.New("what answers there is no Parley host")
	}
	return text.Printable(answer.URL), nil
}
