package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/text"
)

// dialWait is how long a host may take to accept a connection.
const dialWait = 10 * time.Second

// dial connects to the host. The token is sent in a header, and to no other address.
func (r Relay) dial(ctx context.Context) (*websocket.Conn, error) {
	u, err := ParseAddress(r.Address)
	if err != nil {
		return nil, err
	}
	if u, err = r.endpoint(u); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, dialWait)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{
		HTTPClient: newClient(u.Scheme == "wss"),
		HTTPHeader: http.Header{"Authorization": {"Bearer " + r.Token}}, Subprotocols: []string{Subprotocol},
	})
	switch {
	case err == nil && ws.Subprotocol() != Subprotocol:
		_ = ws.CloseNow()
		return nil, errors.New("what answers there is no Parley host")
	case err == nil:
		return ws, nil
	case resp != nil && resp.StatusCode != http.StatusSwitchingProtocols:
		return nil, r.refusal(resp)
	}
	return nil, noAnswer(err)
}

// newClient returns what sends requests with a token: to another machine only with TLS, and never where an answer leads.
func newClient(secure bool) *http.Client {
	dialer := &net.Dialer{}
	transport := &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if secure {
		transport.Proxy = http.ProxyFromEnvironment
	} else {
		dialer.ControlContext = onlyLoopback
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// noAnswer returns why a request was not answered, without its address, which has cwd and args.
func noAnswer(err error) error {
	if errors.Is(err, errPlain) {
		return errPlain
	}
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("no host answers: %w", err)
}

// endpoint returns the address of the dialect, with the members of the preamble that it has.
func (r Relay) endpoint(u *url.URL) (*url.URL, error) {
	p := r.Preamble
	u = u.JoinPath("v1", p.Dialect)
	if p.Dialect == native {
		if len(p.Args) > 0 {
			return nil, &host.RefusedError{Reason: fmt.Sprintf("over the network the native protocol has no options, such as %q", p.Args[0])}
		}
		return u, nil
	}
	args, err := json.Marshal(append([]string{}, p.Args...))
	if err != nil {
		return nil, &host.RefusedError{Reason: "the arguments are not UTF-8"}
	}
	u.RawQuery = url.Values{"cwd": {p.Cwd}, "args": {string(args)}}.Encode()
	return u, nil
}

// refusal returns what an answer that is no connection means.
func (r Relay) refusal(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, refusalLimit)) // what there is of it
	reason := text.Printable(strings.TrimPrefix(string(body), fmt.Sprintf("%d: ", resp.StatusCode)))
	switch resp.StatusCode {
	case http.StatusBadRequest:
		return &host.RefusedError{Reason: reason}
	case http.StatusUnauthorized:
		return errors.New("the host refuses the token in PARLEY_TOKEN: it is wrong, was revoked or has expired")
	case http.StatusForbidden:
		return fmt.Errorf("the host does not let the client in: %s", reason)
	case http.StatusNotFound:
		return fmt.Errorf("no host that speaks %s is at this address", r.Preamble.Dialect)
	case http.StatusTooManyRequests:
		return errors.New("the host refuses the token in PARLEY_TOKEN, and was sent wrong ones too often: wait a minute")
	case http.StatusServiceUnavailable:
		return fmt.Errorf("the host takes no client now: %s", reason)
	}
	return fmt.Errorf("no host answers: the answer has the status %d", resp.StatusCode)
}

// refusalLimit is how many bytes of the reason for a refusal are shown.
const refusalLimit = 1 << 10
