package config

import "errors"

// String hides the secret.
func (Secret) String() string { return "***" }

// GoString hides the secret.
func (Secret) GoString() string { return "***" }

// MarshalText hides the secret, in JSON and YAML too.
func (Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

// UnmarshalText reads a count of at least 1 or the word auto.
func (a *Auto) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*a = 0
		return nil
	}
	n, ok := wholeNumber(string(text))
	if !ok || n < 1 {
		return errors.New("must be auto or a number from 1")
	}
	*a = Auto(n)
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (a Auto) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// String is the number or the word auto.
func (a Auto) String() string {
	if a == 0 {
		return "auto"
	}
	return printInt(int64(a))
}
