package modeltest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley.dev/parley/internal/model"
)

// wantError checks that err is want; want.Message is only part of the message, and its
// Provider and Err do not count.
func wantError(t *testing.T, err error, want *model.Error) {
	t.Helper()
	var got *model.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %T %v, want a *model.Error", err, err)
	}
	if !strings.Contains(got.Message, want.Message) {
		t.Errorf("message %q has no %q", got.Message, want.Message)
	}
	if got.Provider == "" || got.Message == "" {
		t.Errorf("no provider or no message in %+v", got)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(model.Error{}, "Provider", "Message", "Err")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// refusals are answers with an HTTP status. The bodies are of any server: gateways put
// each behind each wire.
var refusals = []struct {
	status int
	body   string
	header []string
	want   model.Error
}{
	{
		401, `{"error":{"message":"Incorrect API key","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, nil,
		model.Error{Kind: model.Auth, Code: "invalid_api_key", Message: "Incorrect API key"},
	},
	{
		401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r"}`, nil,
		model.Error{Kind: model.Auth, Code: "authentication_error", Message: "invalid x-api-key"},
	},
	{403, ``, nil, model.Error{Kind: model.Auth, Message: "Forbidden"}},
	{
		429, `{"error":{"message":"Slow down","type":"requests","code":"rate_limit_exceeded"}}`,
		[]string{"Retry-After", "7"},
		model.Error{Kind: model.RateLimited, Code: "rate_limit_exceeded", RetryAfter: 7 * time.Second},
	},
	{
		429, `{}`,
		[]string{"Retry-After-Ms", "1500", "Retry-After", "7"},
		model.Error{Kind: model.RateLimited, RetryAfter: 1500 * time.Millisecond},
	},
	{
		429, `{}`,
		[]string{"Date", "Sat, 21 Nov 2026 07:00:00 GMT", "Retry-After", "Sat, 21 Nov 2026 07:01:30 GMT"},
		model.Error{Kind: model.RateLimited, RetryAfter: 90 * time.Second},
	},
	{
		429, `{"error":{"code":"RATE_LIMITED","message":"Per minute","retry_after":2.5}}`, nil,
		model.Error{Kind: model.RateLimited, Code: "RATE_LIMITED", RetryAfter: 2500 * time.Millisecond},
	},
	{
		429, `{"error":{"message":"You exceeded your current quota, please check your plan","type":"insufficient_quota","code":"insufficient_quota"}}`, nil,
		model.Error{Kind: model.Quota, Code: "insufficient_quota"},
	},
	{
		400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API"}}`, nil,
		model.Error{Kind: model.Quota, Code: "invalid_request_error"},
	},
	{402, `{"error":{"message":"Insufficient Balance"}}`, nil, model.Error{Kind: model.Quota}},
	{
		402, `{"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 16384 tokens, but can only afford 1200. To increase, visit https://openrouter.ai/credits","code":402}}`, nil,
		model.Error{Kind: model.Quota, Code: "402", MaxTokens: 1200},
	},
	{
		403, `{"code":"The caller does not have permission to execute the specified operation","error":"Your newly created team doesn't have any credits yet. You can purchase credits on https://console.x.ai"}`, nil,
		model.Error{Kind: model.Quota, Code: "The caller does not have permission to execute the specified operation"},
	},
	{
		429, `{"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long context requests."}}`, nil,
		model.Error{Kind: model.Quota, Code: "rate_limit_error"},
	},
	{
		400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, nil,
		model.Error{Kind: model.Auth, Code: "400"},
	},
	{
		400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xx***yy. You can obtain an API key from https://console.x.ai."}`, nil,
		model.Error{Kind: model.Auth, Code: "Client specified an invalid argument"},
	},
	{
		403, `{"error":{"code":403,"message":"openai/gpt-5.5 requires moderation on OpenAI. Your input was flagged for \"violence\". No credits were charged.","metadata":{"reasons":["violence"],"flagged_input":"x"}}}`, nil,
		model.Error{Kind: model.Rejected, Code: "403", Moderated: true},
	},
	{
		400, `{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}`, nil,
		model.Error{Kind: model.Rejected, Code: "invalid_prompt", Moderated: true},
	},
	{
		400, `{"error":{"message":"Invalid prompt: messages must not be empty","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}`, nil,
		model.Error{Kind: model.Rejected, Code: "invalid_prompt"},
	},
	{
		400, `{"error":{"message":"Your request was rejected","type":"invalid_request_error","param":null,"code":"content_policy_violation"}}`, nil,
		model.Error{Kind: model.Rejected, Code: "content_policy_violation", Moderated: true},
	},
	{
		400, `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, nil,
		model.Error{Kind: model.Rejected, Code: "content_filter", Moderated: true},
	},
	{
		400, `{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}`, nil,
		model.Error{Kind: model.Rejected, Code: "invalid_request_error", Moderated: true},
	},
	{
		400, `{"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, nil,
		model.Error{Kind: model.Rejected, Code: "invalid_request_error", Moderated: true},
	},
	{
		400, `{"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}`, nil,
		model.Error{Kind: model.Rejected, Code: "content_filter", Moderated: true},
	},
	{
		400, `{"error":{"message":"<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.","type":"data_inspection_failed","param":null,"code":"data_inspection_failed"}}`, nil,
		model.Error{Kind: model.Rejected, Code: "data_inspection_failed", Moderated: true},
	},
	{
		403, `{"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Team: t, API key ID: k, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO"}`, nil,
		model.Error{Kind: model.Rejected, Code: "The caller does not have permission to execute the specified operation", Moderated: true},
	},
	{
		400, `{"error":{"code":"1301","message":"System detected potentially unsafe or sensitive content in input or generation."}}`, nil,
		model.Error{Kind: model.Rejected, Code: "1301", Moderated: true},
	},
	{
		413, `{"error":{"message":"Request too large for model m in organization o service tier on_demand on tokens per minute (TPM): Limit 6000, Requested 8012, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, nil,
		model.Error{Kind: model.ContextTooLong, Code: "rate_limit_exceeded", Window: 6000},
	},
	{
		429, `{"error":{"message":"Request too large for gpt-5.5 in organization org-x on tokens per min (TPM): Limit 30000, Requested 33000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","code":"rate_limit_exceeded"}}`, nil,
		model.Error{Kind: model.ContextTooLong, Code: "rate_limit_exceeded", Window: 30000},
	},
	{400, ``, nil, model.Error{Kind: model.Rejected, Message: "Bad Request"}},
	{
		400, `{"error":{"message":"Too long","code":"context_length_exceeded"}}`, nil,
		model.Error{Kind: model.ContextTooLong, Code: "context_length_exceeded"},
	},
	{
		400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 215000 tokens > 200000 maximum"}}`, nil,
		model.Error{Kind: model.ContextTooLong, Code: "invalid_request_error", Window: 200000},
	},
	{
		400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`, nil,
		model.Error{Kind: model.ContextTooLong, Code: "400", Window: 4096},
	},
	{
		413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, nil,
		model.Error{Kind: model.ContextTooLong, Code: "request_too_large"},
	},
	{
		400, `{"error":{"message":"Invalid value: 'x'","type":"invalid_request_error","code":null}}`, nil,
		model.Error{Kind: model.Rejected, Code: "invalid_request_error", Message: "Invalid value"},
	},
	{404, `{"detail":"Not Found"}`, nil, model.Error{Kind: model.Rejected, Message: "Not Found"}},
	{422, `{"detail":[{"msg":"field required"}]}`, nil, model.Error{Kind: model.Rejected, Message: "field required"}},
	{
		404, `{"code":"MODEL_NOT_FOUND","message":"No such model"}`, nil,
		model.Error{Kind: model.ModelNotFound, Code: "MODEL_NOT_FOUND", Message: "No such model"},
	},
	{
		404, `{"error":{"message":"The model \"x\" does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, nil,
		model.Error{Kind: model.ModelNotFound, Code: "model_not_found"},
	},
	{
		404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}`, nil,
		model.Error{Kind: model.ModelNotFound, Code: "not_found_error", Message: "model: claude-9"},
	},
	{
		404, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`, nil,
		model.Error{Kind: model.ModelNotFound, Code: "404"},
	},
	{404, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}}`, nil, model.Error{Kind: model.ModelNotFound, Code: "api_error"}},
	{
		404, `[{"error":{"code":404,"message":"models/x is not found for API version v1main","status":"NOT_FOUND"}}]`, nil,
		model.Error{Kind: model.ModelNotFound, Code: "404"},
	},
	{400, `{"object":"error","message":"Invalid model: x","type":"invalid_model","code":"1500"}`, nil, model.Error{Kind: model.ModelNotFound, Code: "1500"}},
	{400, `{"error":{"message":"x is not a valid model ID","code":400}}`, nil, model.Error{Kind: model.ModelNotFound, Code: "400"}},
	{400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`, nil, model.Error{Kind: model.ModelNotFound, Code: "invalid_request_error"}},
	{404, `404 page not found`, nil, model.Error{Kind: model.Rejected, Message: "404 page not found; is the address right?"}},
	{404, `<html>Not Found</html>`, nil, model.Error{Kind: model.Rejected, Message: "Not Found; is the address right?"}},
	{404, `{"type":"error","error":{"type":"not_found_error","message":"Not found"}}`, nil, model.Error{Kind: model.Rejected, Code: "not_found_error"}},
	{
		400, `[{"error":{"code":400,"message":"Bad field","status":"INVALID_ARGUMENT"}}]`, nil,
		model.Error{Kind: model.Rejected, Code: "400", Message: "Bad field"},
	},
	{408, ``, nil, model.Error{Kind: model.Overloaded, Message: "Request Timeout"}},
	{500, `{"error":"boom"}`, nil, model.Error{Kind: model.Overloaded, Message: "boom"}},
	{502, `<html><body>Bad Gateway</body></html>`, nil, model.Error{Kind: model.Overloaded, Message: "Bad Gateway"}},
	{503, "upstream connect error", []string{"Retry-After", "soon"}, model.Error{Kind: model.Overloaded, Message: "upstream connect error"}},
	{
		529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, nil,
		model.Error{Kind: model.Overloaded, Code: "overloaded_error"},
	},
	{403, `{"error":{"code":"AUTHZ_DENIED","message":"Not yours"}}`, nil, model.Error{Kind: model.Auth, Code: "AUTHZ_DENIED"}},
	{400, `{"error":{"code":"SESSION_EXPIRED","message":"Log in"}}`, nil, model.Error{Kind: model.Auth, Code: "SESSION_EXPIRED"}},
	{403, `{"error":{"code":"BUDGET_EXCEEDED","message":"Spent"}}`, nil, model.Error{Kind: model.Quota, Code: "BUDGET_EXCEEDED"}},
	{502, `{"error":{"code":"UPSTREAM_SHAPE_MISMATCH","message":"Odd"}}`, nil, model.Error{Kind: model.BrokenStream, Code: "UPSTREAM_SHAPE_MISMATCH"}},
	{
		500, `{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"it broke"}}}`, nil,
		model.Error{Kind: model.Overloaded, Code: "502", Message: "Provider returned error: it broke"},
	},
}

func testRefusals(t *testing.T, s Subject) {
	for _, r := range refusals {
		t.Run(fmt.Sprintf("%d %s", r.status, r.want.Kind), func(t *testing.T) {
			server := NewServer(t, Refuse(r.status, r.body, r.header...))
			out := collect(t, t.Context(), s.connect(t, server), Hello(), 0)
			want := r.want
			want.Status = r.status
			wantError(t, out.err, &want)
			if n := len(server.Requests()); n != 1 {
				t.Errorf("sent %d requests, want 1: retries are not a provider's", n)
			}
		})
	}
}
