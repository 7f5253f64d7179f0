package tool

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestFetchRefusesPrivateAddresses(t *testing.T) {
	address := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was reached") })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "0177.0.0.1"} {
		input := fmt.Sprintf(`{"url":"http://%s:%s/"}`, host, port)
		call, err := Fetch().Prepare(&Env{}, []byte(input))
		if err != nil { // of an address that is written as such
			if !strings.Contains(err.Error(), "is an address of this machine") {
				t.Errorf("%s: %v", host, err)
			}
			continue
		}
		if r := call.Run(t.Context(), Hooks{}); !r.IsError {
			t.Errorf("%s: %q", host, r.Text)
		} else if host == "localhost" && !strings.Contains(r.Text, "is an address of this machine") {
			t.Errorf("%s: %q", host, r.Text)
		}
	}
}

func TestFetchChecksRedirects(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("this machine has but one loopback address: ", err)
	}
	private := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	private.Listener.Close()
	private.Listener = listener
	private.Start()
	defer private.Close()
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, private.URL, http.StatusFound) })

	call := prepareFetch(t, map[string]any{"url": address})
	call.reachable = func(addr netip.Addr) bool { return addr == netip.MustParseAddr("127.0.0.1") }
	if r := call.Run(t.Context(), Hooks{}); !r.IsError || !strings.Contains(r.Text, "127.0.0.2 is an address of this machine or of a private network") {
		t.Errorf("%q", r.Text)
	}
}

func TestIsPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.216.34":            true,
		"1.1.1.1":                  true,
		"172.32.0.1":               true,
		"2606:4700:4700::1111":     true,
		"::ffff:1.1.1.1":           true,
		"64:ff9b::1.1.1.1":         true,
		"0.0.0.0":                  false,
		"0.1.2.3":                  false,
		"10.0.0.1":                 false,
		"100.64.0.1":               false,
		"100.100.100.200":          false,
		"127.0.0.1":                false,
		"127.255.255.254":          false,
		"169.254.169.254":          false,
		"168.63.129.16":            false,
		"172.16.0.1":               false,
		"172.31.255.255":           false,
		"192.168.1.1":              false,
		"198.18.0.1":               false,
		"224.0.0.1":                false,
		"239.255.255.250":          false,
		"240.0.0.1":                false,
		"255.255.255.255":          false,
		"::":                       false,
		"::1":                      false,
		"::7f00:1":                 false,
		"::ffff:127.0.0.1":         false,
		"::ffff:10.0.0.1":          false,
		"::ffff:169.254.169.254":   false,
		"64:ff9b::7f00:1":          false,
		"64:ff9b::169.254.169.254": false,
		"64:ff9b:1::1":             false,
		"2001:0:0:1::":             false,
		"2002:7f00:1::":            false,
		"fc00::1":                  false,
		"fd00:ec2::254":            false,
		"fe80::1":                  false,
		"fe80::1%eth0":             false,
		"fec0::1":                  false,
		"ff02::1":                  false,
	} {
		if got := isPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %t", address, got)
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}
