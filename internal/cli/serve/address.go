package serve

import (
	"cmp"
	"fmt"
	"strings"

	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/web"
)

// ParseHost returns the address that --host of a console means: flag is its value, "" the variable or auto. The error is one of
// usage.
func ParseHost(flag string, getenv func(string) string) (address string, err error) {
	source := "--host"
	if flag == "" {
		source = hostVariable
	}
	address = cmp.Or(flag, getenv(hostVariable), joinAuto)
	switch {
	case !isAddress(address):
		return "", fmt.Errorf("%s %q is none of auto, unix:PATH, ws://HOST:PORT, wss://HOST:PORT and off", source, address)
	case isRemote(address):
		if _, err := web.ParseAddress(address); err != nil {
			return "", fmt.Errorf("%s: %w", source, err)
		}
	}
	return address, nil
}

// FindHost returns where the host is that an address of ParseHost means; "": the console has its own. home is the state folder.
func FindHost(address, home string, getenv func(string) string) (string, error) {
	switch {
	case address == joinOff:
		return "", nil
	case address == joinAuto:
		path := host.SocketPath(home)
		if !host.Listens(path) {
			return "", nil
		}
		return "unix:" + path, nil
	case isRemote(address) && getenv(tokenVariable) == "":
		return "", errNoToken
	case strings.HasPrefix(address, "unix:") && !host.Listens(strings.TrimPrefix(address, "unix:")):
		return "", fmt.Errorf("no host listens at %s; start one with parley serve", address)
	}
	return address, nil
}

// IsRemote reports whether a host is one of the network.
func IsRemote(address string) bool { return isRemote(address) }
