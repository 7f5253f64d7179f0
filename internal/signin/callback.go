package signin

import (
	"context"
	"fmt"
	"net"

	"golang.org/x/oauth2"
)

// A Callback is an address of this machine to which an authorization server redirects a browser.
type Callback struct {
	returns *returns
	port    int
	stop    func()
}

// NewCallback serves the redirect on l, which listens on 127.0.0.1. The caller must Close it.
func NewCallback(l net.Listener) *Callback {
	b := &returns{
		state:   oauth2.GenerateVerifier(),
		arrived: make(chan arrival),
		seen:    make(chan struct{}, 1),
		over:    make(chan struct{}),
	}
	return &Callback{returns: b, port: l.Addr().(*net.TCPAddr).Port, stop: b.serve(l)}
}

// Port returns the port that is listened on.
func (c *Callback) Port() int { return c.port }

// URL returns the redirect URI, with the address of this machine as a number.
func (c *Callback) URL() string { return fmt.Sprintf("http://127.0.0.1:%d/auth/callback", c.port) }

// State returns the random value that the redirect must bring back.
func (c *Callback) State() string { return c.returns.state }

// Wait waits until the browser comes back, and calls redeem with the code and the issuer that the
// redirect names, if any. The browser shows how that ended. It returns the error of redeem, or a
// *Failure if there was no code.
func (c *Callback) Wait(ctx context.Context, redeem func(code, issuer string) error) error {
	select {
	case <-ctx.Done():
		return ended(ctx, browserFlow)
	case arrived := <-c.returns.arrived:
		err := arrived.failure
		if err == nil {
			err = redeem(arrived.code, arrived.issuer)
		}
		arrived.verdict <- err
		if err == nil {
			c.returns.linger(ctx)
		}
		return err
	}
}

// Close ends the listening. Browsers that come later are refused.
func (c *Callback) Close() {
	close(c.returns.over)
	c.stop()
}
