package signin

import (
	"testing"
	"time"
)

// FuzzDeviceAnswers: whatever an issuer answers, what is shown at the terminal is plain text, and what is waited for has bounds.
func FuzzDeviceAnswers(f *testing.F) {
	for _, body := range []string{
		deviceAnswer, pollAnswer, `{"device_auth_id":"a","usercode":"b","interval":1e300}`, `{"device_auth_id":"a","user_code":"\u001b[2J"}`,
		`{"device_auth_id":"a","user_code":"b","interval":"NaN","expires_in":-1}`, `{`, `[]`, `{"user_code":"a","user_code":"b"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if code, err := parseDeviceCode(body); err == nil {
			if code.ID == "" || !plain(code.UserCode, 64) {
				t.Errorf("the code %q of %q is accepted", code.UserCode, code.ID)
			}
			if d := code.interval(); d < time.Second || d > maxInterval {
				t.Errorf("the interval is %s", d)
			}
			if d := seconds(code.Expires, usualExpiry); d < time.Second {
				t.Errorf("the code expires after %s", d)
			}
		}
		if g, err := parseGrant(body); err == nil && (g.Code == "" || g.Verifier == "") {
			t.Errorf("half a grant is accepted: %+v", g)
		}
	})
}
