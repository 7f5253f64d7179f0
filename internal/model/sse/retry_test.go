package sse

import (
	"net/http"
	"testing"
	"time"
)

// TestWaits reads how long servers want their clients to wait, from bodies and headers as they send them.
func TestWaits(t *testing.T) {
	const date = "Sun, 22 Nov 2026 12:00:00 GMT"
	for _, test := range []struct {
		server string
		status int
		body   string
		header []string
		want   time.Duration
	}{
		{
			"Gemini", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 39.5s.","status":"RESOURCE_EXHAUSTED",` +
				`"details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"39s"}]}}]`, nil, 39 * time.Second,
		},
		{"Gemini without details", 429, `{"error":{"code":429,"message":"Resource has been exhausted. Please retry in 39.5s."}}`, nil, 39500 * time.Millisecond},
		{
			"OpenAI", 429, `{"error":{"message":"Rate limit reached for gpt-5.5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000. Please try again in 6s. Visit https://platform.openai.com/account/rate-limits to learn more.","type":"tokens","code":"rate_limit_exceeded"}}`,
			[]string{"X-Ratelimit-Remaining-Requests", "499", "X-Ratelimit-Reset-Requests", "120ms", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "6s"},
			6 * time.Second,
		},
		{"OpenAI, minutes", 429, `{"error":{"message":"Please try again in 1m12.5s.","code":"rate_limit_exceeded"}}`, nil, 72500 * time.Millisecond},
		{"OpenAI, milliseconds", 429, `{"error":{"message":"Please try again in 250ms. Visit","code":"rate_limit_exceeded"}}`, nil, 250 * time.Millisecond},
		{
			"OpenAI, headers only", 429, `{}`,
			[]string{"X-Ratelimit-Remaining-Requests", "499", "X-Ratelimit-Reset-Requests", "3m", "X-Ratelimit-Remaining-Tokens", "0", "X-Ratelimit-Reset-Tokens", "1m30s"},
			90 * time.Second,
		},
		{
			"OpenAI, requests are used up", 429, `{}`,
			[]string{"X-Ratelimit-Remaining-Requests", "0", "X-Ratelimit-Reset-Requests", "8.64s", "X-Ratelimit-Remaining-Tokens", "100", "X-Ratelimit-Reset-Tokens", "30s"},
			8640 * time.Millisecond,
		},
		{"Azure", 429, `{"error":{"code":"429","message":"Requests have exceeded token rate limit. Please retry after 26 seconds."}}`, nil, 26 * time.Second},
		{
			"OpenRouter", 429, `{"error":{"message":"Rate limit exceeded: free-models-per-min. ","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"20","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1795348830000"}}}}`,
			[]string{"Date", date},
			30 * time.Second,
		},
		{"seconds since 1970", 429, `{}`, []string{"Date", date, "X-Ratelimit-Reset", "1795348820"}, 20 * time.Second},
		{"seconds", 429, `{}`, []string{"X-Ratelimit-Reset", "15"}, 15 * time.Second},
		{"a header counts more", 429, `{"error":{"message":"Please try again in 6s"}}`, []string{"Retry-After", "9"}, 9 * time.Second},
		{"overload", 503, `{"error":{"message":"Overloaded, wait 10 seconds"}}`, nil, 10 * time.Second},
		{"limits of another request", 500, `{}`, []string{"X-Ratelimit-Reset-Tokens", "6s"}, 0},
		{"no number", 429, `{"error":{"message":"Please try again in a while"}}`, nil, 0},
		{"far away", 429, `{"error":{"message":"Please try again in 99999999999999999999999 days"}}`, nil, maxWait},
		{"not numbers", 429, `{"error":{"details":[{"retryDelay":"soon"}]}}`, []string{"X-Ratelimit-Reset", "NaN", "X-Ratelimit-Reset-Tokens", "-5s"}, 0},
	} {
		f := parseFault([]byte(test.body))
		response := &http.Response{StatusCode: test.status, Header: http.Header{}}
		for i := 0; i < len(test.header); i += 2 {
			response.Header.Set(test.header[i], test.header[i+1])
		}
		f.of(response)
		failed := (&Endpoint{}).failure(f)
		if failed.RetryAfter != test.want || !failed.Temporary() {
			t.Errorf("%s: waits %s, want %s: %+v", test.server, failed.RetryAfter, test.want, failed)
		}
	}
}

// TestShouldRetry checks that a server's word that the same request is useless counts, and that
// conflicts and early requests are tried again.
func TestShouldRetry(t *testing.T) {
	for status, temporary := range map[int]bool{408: true, 409: true, 425: true, 429: true, 500: true, 529: true, 400: false, 401: false, 413: false, 422: false} {
		for _, word := range []string{"", "true", "false"} {
			f := parseFault([]byte(`{"error":{"message":"no"}}`))
			f.of(&http.Response{StatusCode: status, Header: http.Header{"X-Should-Retry": {word}}})
			failed := (&Endpoint{}).failure(f)
			if want := temporary && word != "false"; failed.Temporary() != want {
				t.Errorf("%d with %q is %s, temporary %v", status, word, failed.Kind, failed.Temporary())
			}
		}
	}
}

// FuzzWaitOf checks that no message makes a wait that is negative or endless.
func FuzzWaitOf(f *testing.F) {
	f.Add("Please retry in 39.5s.")
	f.Add("try again in 1h2m3s, 4 ms")
	f.Fuzz(func(t *testing.T, message string) {
		if wait := waitOf(message); wait < 0 || wait > maxWait {
			t.Errorf("%q names a wait of %s", message, wait)
		}
	})
}
