package acp

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
)

// accounts is a sign-in that ends when the test says so.
type accounts struct {
	code     string
	outcome  chan error // of attempts
	begun    chan struct{}
	problem  error // of Begin
	required bool

	mu     sync.Mutex
	busy   bool
	forgot int
}

func newAccounts() *accounts {
	return &accounts{outcome: make(chan error, 1), begun: make(chan struct{}, 8)}
}

func (a *accounts) Begin(ctx context.Context) (Attempt, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.problem != nil:
		return Attempt{}, a.problem
	case a.busy:
		return Attempt{}, ErrSigningIn
	}
	a.busy = true
	a.begun <- struct{}{}
	return Attempt{"https://id.example/open", a.code, sync.OnceValue(func() error {
		defer func() {
			a.mu.Lock()
			a.busy = false
			a.mu.Unlock()
		}()
		select {
		case err := <-a.outcome:
			return err
		case <-ctx.Done():
			return errors.New("cancelled")
		}
	})}, nil
}

func (a *accounts) Forget() error {
	a.forgot++
	return a.problem
}

func (a *accounts) Required(string) bool { return a.required }

// serving returns the command with this sign-in.
func serving(in SignIn) dialecttest.Server {
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		p, err := dialecttest.Open(env, stderr)
		if err != nil {
			return 1
		}
		defer p.Close()
		return Serve(context.WithoutCancel(ctx), Config{
			Host: engine.NewHost(p.Config(dialecttest.NewModels(p.Getenv), nil)), In: stdin, Out: stdout, Log: p.Log, Version: "0.0.0-test",
			SignIn: in, NewID: func() string { return "new" }, Stop: ctx.Done(),
		})
	}
}

// A wireTest is a dialogue with the in-process command.
type wireTest struct {
	*dialecttest.Client
	t     *testing.T
	place *dialecttest.Place
}

func dialWire(t *testing.T, in SignIn, script, capabilities string) wireTest {
	t.Helper()
	p := dialecttest.NewPlace(t, t.TempDir(), script)
	w := wireTest{p.Dial(t, serving(in)), t, p}
	w.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":` + capabilities + `}}`)
	return w
}

func (w wireTest) say(line string) { w.Send(line + "\n") }

// want wants the next line to contain all of parts.
func (w wireTest) want(parts ...string) string {
	w.t.Helper()
	line, ok := w.Next()
	for _, part := range parts {
		if !ok || !strings.Contains(line, part) {
			w.t.Fatalf("%q, %v, want %q", line, ok, parts)
		}
	}
	return line
}

// end wants nothing more but the end.
func (w wireTest) end() {
	w.t.Helper()
	w.HangUp()
	for {
		line, ok := w.Next()
		if !ok {
			break
		}
		w.t.Errorf("more: %s", line)
	}
	if code := w.Over(); code != 0 {
		w.t.Errorf("exit code %d", code)
	}
}

const (
	urlClient    = `{"elicitation":{"url":{}}}`
	authenticate = `{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"sign-in"}}`
	createURL    = `{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"mode":"url","message":"Sign in to the provider of models","elicitationId":"new","url":"https://id.example/open","requestId":1}}`
)

// TestAuthMethods: the terminal is offered to clients that have one.
func TestAuthMethods(t *testing.T) {
	for capabilities, want := range map[string]string{
		`{}`:                             `"auth":{"logout":{}}},"authMethods":[{"id":"sign-in","name":"Sign in","description":"Open an address in a browser and sign in to the provider of models"}]`,
		`{"auth":{"terminal":true}}`:     `},{"id":"sign-in-terminal","type":"terminal","name":"Sign in at a terminal","args":["--sign-in"]}]`,
		`{"auth":{"terminal":false}}`:    `sign in to the provider of models"}]`,
		`{"auth":null,"elicitation":{}}`: `sign in to the provider of models"}]`,
	} {
		w := dialWire(t, newAccounts(), "", capabilities)
		w.want(want)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"sign-in-terminal"}}`)
		w.want(`"code":-32602`, `"field":"methodId"`)
		w.end()
	}
}

// TestSignIn: the address is shown by the client, and the flow ends as the user wants.
func TestSignIn(t *testing.T) {
	complete := `{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"new"}}`
	withdrawn := `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`
	done := `{"jsonrpc":"2.0","id":1,"result":{}}`
	for name, test := range map[string]struct {
		answer  string // of the client; "": none
		outcome error
		decided bool // by the answer: the flow has no outcome of its own
		want    []string
	}{
		"agreed":           {`"result":{"action":"accept"}`, nil, false, []string{complete, done}},
		"never answered":   {"", nil, false, []string{complete, withdrawn, done}},
		"flow fails":       {`"result":{"action":"accept"}`, errors.New("OAuth login failed"), false, []string{`"id":1,"error":{"code":-32603,"message":"The sign-in failed: OAuth login failed","data":{"kind":"auth"}}`}},
		"fails unanswered": {"", errors.New("OAuth login failed"), false, []string{withdrawn, `"id":1,"error":{"code":-32603`}},
		"declined":         {`"result":{"action":"decline"}`, nil, true, []string{`"id":1,"error":{"code":-32603,"message":"The sign-in failed: the user has declined to open the address"`}},
		"dismissed":        {`"result":{"action":"cancel"}`, nil, true, []string{`"id":1,"error":{"code":-32603`}},
		"cannot show":      {`"error":{"code":-32601,"message":"no browser"}`, nil, true, []string{`"id":1,"error":{"code":-32603,"message":"The sign-in failed: the client cannot show the address: no browser"`}},
		"nonsense":         {`"result":[]`, nil, true, []string{`"id":1,"error":{"code":-32603`}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccounts()
			w := dialWire(t, a, "", urlClient)
			w.want(`"authMethods":[{"id":"sign-in"`)
			w.say(authenticate)
			w.want(createURL)
			if test.answer != "" {
				w.say(`{"jsonrpc":"2.0","id":0,` + test.answer + `}`)
				w.say(`{"jsonrpc":"2.0","id":9,"method":"_quiet"}`)
				if !test.decided { // the answer was read
					w.want(`"id":9,"error"`)
				}
			}
			if !test.decided {
				a.outcome <- test.outcome
			}
			for _, want := range test.want {
				line := w.want()
				if strings.Contains(line, `"id":9`) {
					line = w.want()
				}
				if !strings.Contains(line, want) {
					t.Errorf("%s, want %s", line, want)
				}
			}
			if test.decided {
				w.HangUp()
				w.Over()
				return
			}
			w.end()
		})
	}
}

// TestSignInCancelled: a cancelled authenticate is answered once, and the address is withdrawn.
func TestSignInCancelled(t *testing.T) {
	w := dialWire(t, newAccounts(), "", urlClient)
	w.want(`"authMethods"`)
	w.say(authenticate)
	w.want(createURL)
	w.say(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
	w.want(`"method":"$/cancel_request","params":{"requestId":0}`)
	w.want(`"id":1,"error":{"code":-32800`)
	w.end()
}

// TestSignInWithCode: the code is a part of the message.
func TestSignInWithCode(t *testing.T) {
	a := newAccounts()
	a.code = "ABCD-1234"
	w := dialWire(t, a, "", urlClient)
	w.want(`"authMethods"`)
	w.say(authenticate)
	w.want(`"message":"Sign in to the provider of models with the code ABCD-1234"`)
	a.outcome <- nil
	w.want(`elicitation/complete`)
	w.want(`$/cancel_request`)
	w.want(`"id":1,"result":{}`)
	w.end()
}

// TestSignInByMessage: a client that cannot show an address has it in an error. The flow goes on, and the request after its
// end succeeds.
func TestSignInByMessage(t *testing.T) {
	a := newAccounts()
	a.code = "ABCD-1234"
	w := dialWire(t, a, "", `{"elicitation":{"form":{}}}`)
	w.want(`"authMethods"`)
	address := `"code":-32603,"message":"Open https://id.example/open in a browser to sign in with the code ABCD-1234, then authenticate again","data":{"kind":"auth"}`
	for range 2 {
		w.say(authenticate)
		w.want(address)
	}
	if len(a.begun) != 1 {
		t.Errorf("%d attempts", len(a.begun))
	}
	a.outcome <- errors.New("expired")
	for { // until the end of the first attempt is known
		w.say(authenticate)
		w.want(address)
		if len(a.begun) == 2 {
			break
		}
	}
	a.outcome <- nil
	for {
		w.say(authenticate)
		if strings.Contains(w.want(), `"id":1,"result":{}`) {
			break
		}
	}
	w.end()
}

// TestSignInUnderWay: another sign-in, and one that cannot begin, are errors.
func TestSignInUnderWay(t *testing.T) {
	a := newAccounts()
	w := dialWire(t, a, "", urlClient)
	w.want(`"authMethods"`)
	w.say(authenticate)
	w.want(createURL)
	w.say(strings.Replace(authenticate, `"id":1`, `"id":2`, 1))
	w.want(`"id":2,"error":{"code":-32603,"message":"The sign-in failed: a sign-in is under way"`)
	a.outcome <- nil
	for range 3 {
		w.want()
	}
	w.end()
}

func TestLogout(t *testing.T) {
	a := newAccounts()
	w := dialWire(t, a, "", `{}`)
	w.want(`"logout":{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"logout"}`)
	w.want(`"id":1,"result":{}`)
	a.problem = errors.New("disk full")
	w.say(`{"jsonrpc":"2.0","id":2,"method":"logout","params":{}}`)
	w.want(`"id":2,"error":{"code":-32603,"message":"The tokens cannot be deleted: disk full"`)
	w.end()
	if a.forgot != 2 {
		t.Errorf("%d", a.forgot)
	}
}

// TestSignInRequired: no session is made that could call no model; a rejected key asks for a sign-in, if there is one.
func TestSignInRequired(t *testing.T) {
	a := newAccounts()
	a.required = true
	w := dialWire(t, a, "", `{}`)
	w.want(`"authMethods"`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"` + w.place.Work + `","mcpServers":[]}}`)
	w.want(`"id":1,"error":{"code":-32000,"message":"Authentication required"}`)
	w.end()

	for want, in := range map[string]SignIn{`"code":-32000,"message":"`: newAccounts(), `"code":-32603,"message":"`: nil} {
		w := dialWire(t, in, "fail auth status=401 The key is not valid.\n", `{}`)
		w.want(`"authMethods"`)
		w.say(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"` + w.place.Work + `","mcpServers":[]}}`)
		_, session, _ := strings.Cut(w.want(`"id":1,"result"`), `"sessionId":"`)
		session, _, _ = strings.Cut(session, `"`)
		w.want("available_commands_update")
		w.say(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + session + `","prompt":[{"type":"text","text":"go"}]}}`)
		for {
			if line := w.want(); strings.Contains(line, `"id":2`) {
				if !strings.Contains(line, want) || !strings.Contains(line, `"kind":"auth"`) {
					t.Errorf("%s, want %s", line, want)
				}
				break
			}
		}
		w.HangUp()
		w.Over()
	}
}
