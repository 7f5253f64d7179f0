package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/tool/output"
)

//go:embed fetch.md
var fetchDescription string

const fetchSchema = `{
	"type": "object",
	"properties": {
		"url": {"type": "string", "minLength": 1, "description": "http or https"},
		"prompt": {"type": "string", "description": "What to look for; it stands above the page in the result"},
		"max_bytes": {"type": "integer", "minimum": 1, "maximum": 5242880, "description": "How much of the page to read at most; default 5242880"}
	},
	"required": ["url"],
	"additionalProperties": false
}`

const (
	fetchLimit     = 5 << 20 // bytes, after decompression
	fetchHTMLLimit = 2 << 20 // the same for HTML; the worst of it takes seconds to convert
	fetchTimeout   = 30 * time.Second
	fetchRedirects = 5
)

// Fetch returns the tool that gets a web page.
func Fetch() Tool { return fetchTool{} }

type fetchTool struct{}

func (fetchTool) Name() string           { return "fetch" }
func (fetchTool) Description() string    { return fetchDescription }
func (fetchTool) Schema() jsontext.Value { return jsontext.Value(fetchSchema) }

// OfferedSchema leaves out what the tools of protocols need.
func (fetchTool) OfferedSchema(*Env) jsontext.Value { return offeredFetch.Get() }

var offeredFetch = lazy.Value[jsontext.Value]{New: func() jsontext.Value { return schemaWithout(fetchSchema, "prompt", "max_bytes") }}

type fetchInput struct {
	URL      string `json:"url"`
	Prompt   string `json:"prompt"`
	MaxBytes int64  `json:"max_bytes"`
}

func (fetchTool) Prepare(env *Env, input jsontext.Value) (Call, error) {
	in := fetchInput{MaxBytes: fetchLimit}
	if err := decodeInput(input, &in); err != nil {
		return nil, err
	}
	address, err := url.Parse(strings.TrimSpace(in.URL))
	if err != nil {
		return nil, errors.New("the url cannot be read: give a whole http or https address")
	}
	if err := checkURL(address); err != nil {
		return nil, err
	}
	call := &fetchCall{url: address, input: in, reachable: isPublic}
	if env.PrivateNetwork {
		call.reachable, call.proxied = isNotMetadata, true
	}
	return call, call.checkHost(address) // it would fail anyway: no user is asked about it
}

// checkURL refuses what is not plain http or https.
func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("only http and https addresses can be fetched, not %q", u.Scheme)
	case u.User != nil:
		return errors.New("addresses with a user name or password cannot be fetched")
	case u.Hostname() == "":
		return errors.New("the address names no host")
	}
	return nil
}

type fetchCall struct {
	url       *url.URL
	input     fetchInput
	reachable func(netip.Addr) bool
	proxied   bool // a proxy may be used
}

// checkHost refuses an address that may not be reached, if the host is written as one or has the name of this machine.
func (c *fetchCall) checkHost(u *url.URL) error {
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	peer, err := netip.ParseAddr(name)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") { // RFC 6761
		peer, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	if err == nil && !c.reachable(peer) {
		return errPrivate(peer)
	}
	return nil
}

func (c *fetchCall) Request() approval.Request {
	return approval.Request{Level: approval.Execute, URL: c.url.String(), Summary: "fetch " + c.url.String()}
}

func (c *fetchCall) Run(ctx context.Context, _ Hooks) Result {
	ctx, cancel := context.WithTimeoutCause(ctx, fetchTimeout, fmt.Errorf("no answer within %g s", fetchTimeout.Seconds()))
	defer cancel()
	transport := fetchTransport(c.reachable, c.proxied)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, CheckRedirect: c.checkRedirect}

	response, err := c.get(ctx, client)
	if err != nil {
		return c.failed(ctx, err)
	}
	defer response.Body.Close()
	page, err := readPage(response, c.input.MaxBytes)
	if err != nil {
		return c.failed(ctx, err)
	}
	return c.result(response, page)
}

func (c *fetchCall) get(ctx context.Context, client *http.Client) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "parley")
	request.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1")
	return client.Do(request)
}

// checkRedirect holds redirects to the rules of the first address. Where they lead is
// checked when they are dialled.
func (c *fetchCall) checkRedirect(request *http.Request, via []*http.Request) error {
	if len(via) > fetchRedirects {
		return fmt.Errorf("more than %d redirects", fetchRedirects)
	}
	if err := checkURL(request.URL); err != nil {
		return err
	}
	return c.checkHost(request.URL)
}

func (c *fetchCall) failed(ctx context.Context, err error) Result {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	} else if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address, which may be long and is shown anyway
	}
	return Failed(fmt.Sprintf("%s could not be fetched: %v", c.url, err))
}

func (c *fetchCall) result(response *http.Response, p webPage) Result {
	final := response.Request.URL.String()
	before, after := "", ""
	if c.input.Prompt != "" {
		before += "Looking for: " + c.input.Prompt + "\n\n"
	}
	if final != c.url.String() {
		before += "[redirected to " + final + "]\n\n"
	}
	if p.more {
		after += fmt.Sprintf("\n[only the first %d bytes were read]", p.size)
	}
	failed := response.StatusCode < 200 || response.StatusCode > 299
	if failed {
		after += "\n[HTTP " + response.Status + "]"
	}
	r := Result{IsError: failed, Fetch: &event.Fetch{URL: final, Status: response.StatusCode, MIME: p.mime, Bytes: p.size}}
	text, omitted := output.Clip(p.text, max(output.NoteRoom, MaxText-len(before)-len(after)))
	if omitted > 0 {
		full, _ := output.Clip(p.text, MaxFull)
		r.Full = []byte(full)
	}
	r.Text, _ = output.Clip(strings.ToValidUTF8(before+text+after, "\uFFFD"), MaxText)
	return r
}
