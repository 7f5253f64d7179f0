package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley.dev/parley/internal/config"
)

// StoreFlags are the flags that choose the store of a command. They win over variables and the configuration.
type StoreFlags struct{ flags *pflag.FlagSet }

// storeFlag is the name of the flag with the address of the store. Those of a connection begin with it.
const storeFlag = "store"

// connectionFlags are the flags of how a store on NATS is reached.
var connectionFlags = []struct {
	name, usage string
	value       func(*config.StoreSettings) *string
}{
	{"store-creds", "file with the credentials for the store, of mode 0600", func(s *config.StoreSettings) *string { return &s.StoreCreds }},
	{"store-ca", "file of the certificates that sign those of the store's servers, in PEM", func(s *config.StoreSettings) *string { return &s.StoreCA }},
	{"store-cert", "file of the certificate for the store, in PEM", func(s *config.StoreSettings) *string { return &s.StoreCert }},
	{"store-key", "file of its key, of mode 0600", func(s *config.StoreSettings) *string { return &s.StoreKey }},
}

const insecureFlag = "store-insecure"

// AddStoreFlags adds the flags that choose the store.
func AddStoreFlags(flags *pflag.FlagSet) {
	flags.String(storeFlag, "", "where sessions are: file:PATH, nats://HOST:PORT[/NAMESPACE] or tls://… (default: the configured one, or the state folder)")
	for _, f := range connectionFlags {
		flags.String(f.name, "", f.usage)
	}
	flags.Bool(insecureFlag, false, "permit a store on another machine without TLS")
}

// StoreFlagsOf returns the flags of a command, which need not have any.
func StoreFlagsOf(cmd *cobra.Command) StoreFlags {
	if cmd == nil {
		return StoreFlags{}
	}
	return StoreFlagsIn(cmd.Flags())
}

// StoreFlagsIn returns the flags of a set.
func StoreFlagsIn(flags *pflag.FlagSet) StoreFlags { return StoreFlags{flags} }

// Changed reports whether one of the flags is on the command line.
func (f StoreFlags) Changed() bool { return len(f.Args()) > 0 }

// Apply changes the settings as the flags have it. The error is one of usage, or an [app.ElsewhereError] where another program has what they
// need: nothing must have been read or printed before.
func (f StoreFlags) Apply(s *config.Settings) error {
	text, given := f.lookup(storeFlag)
	if given {
		if _, err := config.ParseStore(text); err != nil {
			return usageError(fmt.Errorf("--%s: %w", storeFlag, err))
		}
		s.Store = text
	}
	if err := f.ApplyConnection(s); err != nil {
		return err
	}
	if address, _ := s.StoreAddress(); address.Kind == config.FileStore && f.connectionFlag() != "" {
		return usageError(fmt.Errorf("--%s needs a store at nats:// or tls://", f.connectionFlag()))
	}
	return Linked.Check(*s, os.Getenv)
}

// ApplyConnection is Apply for a command that names its stores otherwise.
func (f StoreFlags) ApplyConnection(s *config.Settings) error {
	for _, c := range connectionFlags {
		if value, given := f.lookup(c.name); given {
			*c.value(&s.StoreSettings) = value
		}
	}
	if value, given := f.lookup(insecureFlag); given {
		s.StoreInsecure, _ = strconv.ParseBool(value) // pflag has checked it
	}
	if err := s.CheckStore(); err != nil {
		return usageError(err)
	}
	return nil
}

// usageError returns an error that ends the program as a bad command line does.
func usageError(err error) error { return &ExitError{ExitUsage, err} }

// lookup returns the value of a flag, and whether it is on the command line.
func (f StoreFlags) lookup(name string) (value string, given bool) {
	if f.flags == nil {
		return "", false
	}
	flag := f.flags.Lookup(name)
	if flag == nil || !flag.Changed {
		return "", false
	}
	return flag.Value.String(), true
}

// connectionFlag returns a flag of the command line that is about a connection; "": there is none.
func (f StoreFlags) connectionFlag() string {
	for _, c := range connectionFlags {
		if _, given := f.lookup(c.name); given {
			return c.name
		}
	}
	if _, given := f.lookup(insecureFlag); given {
		return insecureFlag
	}
	return ""
}

// Args returns the flags as they are on the command line, for another command.
func (f StoreFlags) Args() []string {
	return f.each(func(name, value string) string { return "--" + name + "=" + value })
}

// Environ returns the flags of the command line as variables (NAME=value), for a process that has no such flags.
func (f StoreFlags) Environ() []string {
	return f.each(func(name, value string) string {
		return "PARLEY_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "=" + value
	})
}

// each returns a text for each flag that is on the command line.
func (f StoreFlags) each(text func(name, value string) string) []string {
	var all []string
	names := []string{storeFlag, insecureFlag}
	for _, c := range connectionFlags {
		names = append(names, c.name)
	}
	for _, name := range names {
		if value, given := f.lookup(name); given {
			all = append(all, text(name, value))
		}
	}
	return all
}
