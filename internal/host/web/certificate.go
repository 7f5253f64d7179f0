package web

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"sync/atomic"
)

// A Certificate is read from two files, and again by Reload.
type Certificate struct {
	cert, key string
	current   atomic.Pointer[tls.Certificate]
}

// LoadCertificate reads a certificate and its key, in PEM.
func LoadCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key}
	return c, c.Reload()
}

// Reload reads the files again. After an error the certificate is as it was.
func (c *Certificate) Reload() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	c.current.Store(&pair)
	return nil
}

// config returns the settings of TLS. Only HTTP/1.1 is offered: WebSocket over HTTP/2 is another protocol.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current.Load(), nil
		},
	}
}

// names reports whether the certificate is valid for a host.
func (c *Certificate) names(host string) bool {
	leaf := c.current.Load().Leaf
	if leaf == nil {
		leaf, _ = x509.ParseCertificate(c.current.Load().Certificate[0])
	}
	return leaf != nil && leaf.VerifyHostname(host) == nil
}
