package form

import (
	"errors"
	"net/mail"
	"net/url"
	"time"
)

// checkFormat holds a text against the formats that forms may name.
func checkFormat(format string, value any) error {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	switch format {
	case "email":
		if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
			return errors.New("the answer must be an e-mail address")
		}
	case "uri":
		if u, err := url.Parse(text); err != nil || u.Scheme == "" {
			return errors.New("the answer must be an address with its scheme, as https://…")
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return errors.New("the answer must be a date, as 2006-01-02")
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return errors.New("the answer must be a time, as 2006-01-02T15:04:05Z")
		}
	}
	return nil
}
