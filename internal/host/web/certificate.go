package web

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"sync/atomic"

	"parley.dev/parley/internal/regular"
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

// maxPEM is the greatest size of a file with a certificate or a key, in bytes.
const maxPEM = 1 << 20

// Reload reads the files again. After an error the certificate is as it was.
func (c *Certificate) Reload() error {
	cert, err := regular.ReadFile(c.cert, maxPEM)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	key, err := regular.ReadFile(c.key, maxPEM)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
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
