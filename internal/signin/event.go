package signin

import (
	"slices"
	"time"
)

// A Method is a way to sign in.
type Method string

// The methods. Auto is only for asking: the device code where no browser can be expected,
// else the browser.
const (
	Auto       Method = "auto"
	Browser    Method = "browser"     // the browser comes back to a port of this machine
	DeviceCode Method = "device_code" // the user types a code into a page, anywhere
)

// Known reports whether m is one of the methods.
func (m Method) Known() bool {
	return slices.Contains([]Method{Auto, Browser, DeviceCode}, m)
}

// A Kind is the kind of an Event.
type Kind string

// The kinds, in their order: started; url, and code for a device code; then completed or
// failed, exactly one of them. A sign-in may fail before it has a url.
const (
	Started   Kind = "started"
	URL       Kind = "url"
	Code      Kind = "device_code"
	Completed Kind = "completed"
	Failed    Kind = "failed"
)

// An Event is what a user, or their client, should know of a sign-in. It holds no secret
// but the code that the user is to type.
type Event struct {
	Kind     Kind
	Provider string

	URL      string        // URL, Code: what to open
	UserCode string        // Code: what to type there
	Interval time.Duration // Code: how often the issuer is asked
	Expires  time.Duration // Code: how long the code can be used

	Method  Method // Completed: how it was done
	Account string // Completed: as the issuer calls it; "": it does not say

	Message string // Failed: a sentence
}
