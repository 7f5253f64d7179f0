package provider

import (
	"cmp"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// Advice returns what to do about a call to e that failed; "": nothing is known.
func (e Endpoint) Advice(err *model.Error) string {
	address := cmp.Or(addressVariables.Get()[e.Name], "providers."+e.Name+".base_url")
	switch err.Kind {
	case model.Auth:
		if e.KeyEnv == "" {
			return "set a key or a header for it: providers." + e.Name + ".api_key_env or .headers in the configuration"
		}
		return "check the key in " + e.KeyEnv
	case model.Quota:
		return "add credit to the account, or use another provider"
	case model.RateLimited:
		return "wait, then try again; the limits are those of the account"
	case model.ModelNotFound:
		return "choose one of the models that `parley models` lists"
	case model.ContextTooLong:
		return "set the window: providers.NAME.models.ID.context_window in the configuration"
	case model.Overloaded:
		return "try again later: the service has trouble"
	case model.Unreachable:
		return "check the address (" + address + "), the network and the proxy"
	case model.BrokenStream:
		return "check the address (" + address + ") and that the server speaks this API (providers." + e.Name + ".api)"
	case model.Rejected:
		return "report this as a bug, with this report; a profile in the configuration may help meanwhile (providers." + e.Name + ".profile)"
	}
	return ""
}

// addressVariables are the variables with the addresses of built-in providers.
var addressVariables = lazy.Value[map[string]string]{New: func() map[string]string {
	all := map[string]string{}
	for _, b := range builtIn {
		all[b.name] = b.urlEnv
	}
	return all
}}
