package abi

import "strconv"

// Code is an error code, as guests return it and host functions do.
type Code int32

// The error codes. All other negative numbers count as Failed.
const (
	Failed      Code = -1
	BufferSmall Code = -2
	NotFound    Code = -3
	BadArgument Code = -4
	Denied      Code = -5
	Limit       Code = -6
	Unsupported Code = -7
	Busy        Code = -8
	Conflict    Code = -9
	Timeout     Code = -10
	Unreachable Code = -11
)

// CodeOf returns the error code that a negative number stands for.
func CodeOf(n int32) Code {
	if n > 0 || n < int32(Unreachable) {
		return Failed
	}
	return Code(n)
}

// String returns the code's name, or its number.
func (c Code) String() string {
	for _, e := range ErrorCodes {
		if e.Code == c {
			return e.Name
		}
	}
	return strconv.Itoa(int(c))
}

// ErrorCode is an error code with its name.
type ErrorCode struct {
	Code Code
	Name string // as metrics and logs say it: kebab-case
	Text string
}

// ErrorCodes are all error codes, in order.
var ErrorCodes = []ErrorCode{
	{Failed, "failed", "It did not work, for a reason that has no code of its own."},
	{BufferSmall, "buffer-small", "What was asked for does not fit the buffer given."},
	{NotFound, "not-found", "There is nothing of that name."},
	{BadArgument, "bad-argument", "An argument makes no sense, or an address is outside memory."},
	{Denied, "denied", "Not granted to this plugin, or not in this call."},
	{Limit, "limit", "A limit of the configuration is reached."},
	{Unsupported, "unsupported", "This host cannot do that."},
	{Busy, "busy", "Not now; it may work later."},
	{Conflict, "conflict", "Somebody else was faster: the version is not the one expected."},
	{Timeout, "timeout", "It took too long."},
	{Unreachable, "unreachable", "The other side could not be reached."},
}
