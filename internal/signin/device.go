package signin

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	deviceRequest = "Device code request"
	devicePoll    = "Device code poll"
	deviceFlow    = "OAuth device login"

	usualInterval = 5 * time.Second
	maxInterval   = time.Minute
	usualExpiry   = 15 * time.Minute
)

var (
	errNoDeviceCodes     = failed("Device code login is not enabled for this OAuth issuer.")
	errIncompleteRequest = failed("Device code request returned an incomplete payload.")
	errIncompletePoll    = failed("Device code poll returned an incomplete authorization payload.")
)

// A deviceCode is what the issuer gives for a user to type, and for us to ask with.
type deviceCode struct {
	ID       string         `json:"device_auth_id"`
	UserCode string         `json:"user_code"`
	Usercode string         `json:"usercode"`   // another spelling of UserCode
	Interval jsontext.Value `json:"interval"`   // seconds, as a number or a string
	Expires  jsontext.Value `json:"expires_in"` // likewise
}

// interval returns how long to wait between two polls.
func (c deviceCode) interval() time.Duration {
	return min(seconds(c.Interval, usualInterval), maxInterval)
}

// A grant is a code for tokens, once the user has typed theirs.
type grant struct {
	Code     string `json:"authorization_code"`
	Verifier string `json:"code_verifier"`
}

// byDeviceCode requests a code, shows it, and polls until the user has entered it.
func (a *Attempt) byDeviceCode(ctx context.Context) (credential, error) {
	code, err := a.askDeviceCode(ctx)
	if err != nil {
		return credential{}, err
	}
	expires := min(seconds(code.Expires, usualExpiry), a.m.o.Limit)
	interval := code.interval()
	ctx, cancel := limited(ctx, expires)
	defer cancel()

	page := a.m.o.Issuer + "/codex/device"
	a.send(Event{Kind: URL, URL: page})
	a.send(Event{Kind: Code, URL: page, UserCode: code.UserCode, Interval: interval, Expires: expires})

	g, err := a.poll(ctx, code, interval)
	if err != nil {
		return credential{}, err
	}
	return a.redeem(ctx, deviceFlow, a.m.client(a.m.o.Issuer+"/deviceauth/callback"), g.Code, g.Verifier)
}

func (a *Attempt) askDeviceCode(ctx context.Context) (code deviceCode, err error) {
	request := struct {
		ClientID string `json:"client_id"`
	}{a.m.o.ClientID}
	status, body, err := a.m.post(ctx, "/api/accounts/deviceauth/usercode", request)
	switch {
	case ctx.Err() != nil:
		return code, ended(ctx, deviceFlow)
	case err != nil:
		return code, unreachable(deviceRequest, err)
	case status == http.StatusNotFound:
		return code, errNoDeviceCodes
	case status/100 != 2:
		return code, refusedWith(deviceRequest, status, body)
	}
	return parseDeviceCode(body)
}

func parseDeviceCode(body []byte) (code deviceCode, err error) {
	if json.Unmarshal(body, &code, lenient) != nil {
		return code, errIncompleteRequest
	}
	if code.UserCode == "" {
		code.UserCode = code.Usercode
	}
	if code.ID == "" || !plain(code.UserCode, 64) { // it goes to a terminal
		return code, errIncompleteRequest
	}
	return code, nil
}

// poll asks at once and then every interval. Not yet is 403 or 404.
func (a *Attempt) poll(ctx context.Context, code deviceCode, interval time.Duration) (g grant, err error) {
	request := struct {
		ID       string `json:"device_auth_id"`
		UserCode string `json:"user_code"`
	}{code.ID, code.UserCode}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		status, body, err := a.m.post(ctx, "/api/accounts/deviceauth/token", request)
		switch {
		case ctx.Err() != nil:
			return g, ended(ctx, deviceFlow)
		case err != nil:
			return g, unreachable(devicePoll, err)
		case status/100 == 2:
			return parseGrant(body)
		case status != http.StatusForbidden && status != http.StatusNotFound:
			return g, refusedWith(devicePoll, status, body, code.ID)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return g, ended(ctx, deviceFlow)
		}
	}
}

func parseGrant(body []byte) (g grant, err error) {
	if json.Unmarshal(body, &g, lenient) != nil || g.Code == "" || g.Verifier == "" {
		return grant{}, errIncompletePoll
	}
	return g, nil
}

// seconds reads a number, also one in quotes; usual if it is none, or less than a second.
func seconds(v jsontext.Value, usual time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.Trim(string(v), `"`)), 64)
	if err != nil || !(n >= 1) {
		return usual
	}
	return time.Duration(min(n, 1e6) * float64(time.Second))
}
