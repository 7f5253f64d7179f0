package signin

import (
	"context"
	"crypto/subtle"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

const (
	browserFlow = "OAuth login"

	successLimit  = 2 * time.Second // for the browser to come for the last page
	shutdownLimit = time.Second     // browsers keep connections that they never use
)

// byBrowser listens where the browser will come back to, reports the address to open, and
// waits for it.
func (a *Attempt) byBrowser(ctx context.Context) (credential, error) {
	listener, err := listen(ctx, a.m.o.Port)
	if err != nil {
		return credential{}, failed("OAuth login failed: no port of this machine can be listened on: %s", clip(err.Error()))
	}
	callback := NewCallback(listener)
	defer callback.Close()
	client := a.m.client(fmt.Sprintf("http://localhost:%d/auth/callback", callback.Port()))
	verifier := oauth2.GenerateVerifier()
	a.send(Event{Kind: URL, URL: client.AuthCodeURL(
		callback.State(),
		oauth2.S256ChallengeOption(verifier),
		oauth2.SetAuthURLParam("originator", a.originator),
		// Issuers that know them then name the account in the id token, and leave out a page
		// that is not for programs like this; others ignore them.
		oauth2.SetAuthURLParam("id_token_add_organizations", "true"),
		oauth2.SetAuthURLParam("codex_cli_simplified_flow", "true"),
	)})
	var c credential
	err = callback.Wait(ctx, func(code, _ string) (err error) {
		c, err = a.redeem(ctx, browserFlow, client, code, verifier)
		return err
	})
	return c, err
}

// listen takes the port, or any one if it is taken.
func listen(ctx context.Context, port int) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		l, err = lc.Listen(ctx, "tcp4", "127.0.0.1:0")
	}
	return l, err
}

// returns is where the browser comes back. The first arrival decides; later ones are shown
// that it is over.
type returns struct {
	state   string
	arrived chan arrival
	seen    chan struct{} // the last page was asked for
	over    chan struct{} // closed: arrivals are not received any more
}

// An arrival is a browser with a code, or with the reason for having none.
type arrival struct {
	code    string
	issuer  string // as RFC 9207 has it; "": it does not say
	failure error
	verdict chan error // its result; has room for one
}

// serve answers browsers until stop is called, which waits for everything that it started.
func (b *returns) serve(l net.Listener) (stop func()) {
	server := &http.Server{
		Handler:           b.routes(),
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          log.New(io.Discard, "", 0), // it would quote what strangers send
	}
	var done sync.WaitGroup
	done.Go(func() { _ = server.Serve(l) }) // ends by Shutdown
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownLimit)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		done.Wait()
	}
}

// linger waits until the browser has come for the last page, so that a user is not left
// with an error after all went well.
func (b *returns) linger(ctx context.Context) {
	late := time.NewTimer(successLimit)
	defer late.Stop()
	select {
	case <-b.seen:
	case <-late.C:
	case <-ctx.Done():
	}
}

func (b *returns) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /auth/callback", b.callback)
	mux.HandleFunc("GET /cancel", b.cancel)
	mux.HandleFunc("GET /success", b.success)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Another name for this machine is an attack (DNS rebinding) to read the answer.
		if host := (&url.URL{Host: r.Host}).Hostname(); !local(host) {
			showPage(w, http.StatusForbidden, "Not here", "This address is only for this machine.")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (b *returns) callback(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	a := arrival{code: query.Get("code"), issuer: query.Get("iss")}
	switch reason := query.Get("error_description"); {
	case subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(b.state)) != 1:
		a.failure = failed("OAuth login failed: state mismatch.")
	case query.Has("error"):
		if reason == "" {
			reason = query.Get("error")
		}
		a.failure = failed("OAuth login failed: %s", clip(reason))
	case a.code == "":
		a.failure = failed("OAuth login failed: Missing authorization code.")
	}
	switch err, first := b.deliver(r.Context(), a); {
	case !first:
		b.tooLate(w)
	case err != nil:
		showPage(w, http.StatusBadRequest, "Sign-in failed", err.Error())
	default:
		http.Redirect(w, r, "/success", http.StatusFound)
	}
}

func (b *returns) cancel(w http.ResponseWriter, r *http.Request) {
	if _, first := b.deliver(r.Context(), arrival{failure: errCancelled}); !first {
		b.tooLate(w)
		return
	}
	showPage(w, http.StatusOK, "Sign-in cancelled", "You can close this page.")
}

func (b *returns) success(w http.ResponseWriter, _ *http.Request) {
	showPage(w, http.StatusOK, "Signed in", "You can close this page and go back.")
	select {
	case b.seen <- struct{}{}:
	default:
	}
}

func (b *returns) tooLate(w http.ResponseWriter) {
	showPage(w, http.StatusGone, "Too late", "This sign-in has ended already.")
}

// deliver sends an arrival, and waits for its verdict; false if another one was
// first.
func (b *returns) deliver(ctx context.Context, a arrival) (verdict error, first bool) {
	a.verdict = make(chan error, 1)
	select {
	case b.arrived <- a:
		return <-a.verdict, true
	case <-b.over:
	case <-ctx.Done():
	}
	return nil, false
}
