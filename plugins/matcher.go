package plugins

import "weirkeep/abi"

// Answered is what a matcher says.
type Answered uint8

// The answers.
const (
	NoMatch Answered = abi.NoMatch
	Match   Answered = abi.Match
	Unknown Answered = abi.Unknown // the rule does not match, whatever else it says
)

// Match asks a matcher about a request, for a rule. The same view and rule give the
// same answer. It allocates nothing where the guest answers.
func (a *Attachment) Match(v *abi.View, of Properties, rule string) (Answered, *Failure) {
	t, failure := a.enter(v.Generation, a.plugin.limits.Wait)
	if failure != nil {
		return Unknown, failure
	}
	flags := v.Flags
	v.Flags |= abi.FlagDeterministic
	size, err := v.PutWithin(t.buffer(), a.viewLimit())
	v.Flags = flags
	if err != nil {
		return Unknown, t.tooLarge()
	}
	t.env.random = abi.NewRandom(abi.MatcherSeed(v.RequestID, rule))
	n, err := t.call(ask{export: callMatch, phase: serving, now: v.Now, of: of, size: size})
	switch {
	case err != nil:
		return Unknown, t.fail(faultOf(err), callMatch, v.RequestID)
	case n < 0:
		return Unknown, t.negative(n)
	case n > int32(abi.Unknown):
		return Unknown, t.fail(invalid("it returned %d, must be 0, 1, 2 or negative", n), callMatch, v.RequestID)
	}
	t.leave()
	return Answered(n), nil
}
