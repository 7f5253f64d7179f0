package host

import (
	"bufio"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowPreamble: a client that sends nothing, or a byte now and then, is refused after ten seconds.
func TestSlowPreamble(t *testing.T) {
	for name, every := range map[string]time.Duration{"silent": time.Hour, "a byte a second": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, conn := net.Pipe()
				defer conn.Close()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					for {
						time.Sleep(every)
						if _, err := client.Write([]byte(" ")); err != nil {
							return
						}
					}
				}()
				began := time.Now()
				_, err := readPreamble(conn, bufio.NewReader(conn))
				if err == nil || !strings.Contains(err.Error(), "within 10s") || time.Since(began) != preambleWait {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
				client.Close()
				<-ended
			})
		})
	}
}
