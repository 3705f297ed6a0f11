package gateway

import "weirkeep/gateway/esi"

// failed is a fragment that there is none of, for that reason.
func (f *fragmentExchange) failed(reason Reason) esi.Fragment {
	if reason == RejectedByRule && f.x.rule.status >= 500 {
		return esi.Fragment{Failure: esi.ServerStatus}
	}
	return esi.Fragment{Failure: failureByReason[reason]}
}

// failureByReason is what the reason for which an exchange ends is to the page that it is a
// fragment of. What a client would be told by a status is that status's failure.
var failureByReason = [reasons]esi.Failure{
	BadRequest: esi.BadTarget, BadTarget: esi.BadTarget, BadHost: esi.BadTarget, BadFraming: esi.BadTarget, BadBody: esi.BadTarget,
	BadCoding: esi.BadTarget, BadVersion: esi.BadTarget, BadMethod: esi.BadTarget, MethodNotAllowed: esi.BadTarget,
	BadExpectation: esi.BadTarget, HeadTooLarge: esi.BadTarget, HeadTimeout: esi.BadTarget, Loop: esi.BadTarget,
	BodyTimeout: esi.BadTarget, BodyTooLarge: esi.BadTarget, NoSite: esi.BadTarget, SiteNotPublic: esi.BadTarget,

	NoMapping: esi.ClientStatus, RejectedByRule: esi.ClientStatus,
	PluginFailed: esi.ServerStatus, Panicked: esi.ServerStatus,
	RedirectedToHTTPS: esi.BadAnswer, RedirectedByRule: esi.BadAnswer, SentAway: esi.BadAnswer,
	AnsweredByFilter: esi.BadAnswer, BadAnswer: esi.BadAnswer, AnswerTooLarge: esi.BadAnswer,

	QueueFull: esi.Busy, QueueTimeout: esi.Busy, LocalFailure: esi.Busy,
	NoPermitted: esi.Unreachable, NoOrigin: esi.Unreachable, SessionOriginOut: esi.Unreachable, RouterExhausted: esi.Unreachable,
	NotStored: esi.Unreachable, NotValidated: esi.Unreachable, ConnectRefused: esi.Unreachable, NameNotFound: esi.Unreachable,
	TLSFailed: esi.Unreachable, ConnectFailed: esi.Unreachable, OriginReset: esi.Unreachable,
	ConnectTimeout: esi.TimedOut, OriginTimeout: esi.TimedOut, ClientGone: esi.TimedOut, CutByDrain: esi.TimedOut,
	AnswerCut: esi.BadBody, MarkupInjected: esi.BadBody, BadTemplate: esi.BadBody, FragmentFailed: esi.BadBody, PageTooLarge: esi.BadBody,
}
