package admin

import (
	"errors"
	"io"
	"net/http"
)

// invalidatePath takes messages of Web Cache's invalidation protocol. Who sends them may
// know no bearer tokens: there the token is also the password of the user invalidator.
const invalidatePath = "/v1/cache:invalidate"

// invalidator is the user of the protocol.
const invalidator = "invalidator"

// invalidate answers a message. Its form is not of the document: it is XML.
func (a *api) invalidate(w http.ResponseWriter, r *http.Request) {
	message, err := io.ReadAll(r.Body)
	if err != nil {
		writeProblem(w, &problem{Status: http.StatusRequestEntityTooLarge, Detail: "the message could not be read: " + err.Error()})
		return
	}
	who := caller(r.RemoteAddr)
	answer, sentences, err := a.cache.Invalidate(message)
	if err != nil {
		a.audit(who, "cache:invalidate", "refused: "+err.Error())
		writeProblem(w, notInvalidated(err))
		return
	}
	for _, sentence := range sentences {
		a.audit(who, "cache:invalidate", sentence)
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.Write(answer)
}

// notInvalidated is the answer to a message that is none.
func notInvalidated(err error) *problem {
	if errors.Is(err, ErrNoCache) {
		return &problem{Status: http.StatusConflict, Detail: err.Error()}
	}
	return &problem{Status: http.StatusBadRequest, Title: "no invalidation message", Detail: err.Error(), Suggestion: "messages are of WCS-1.1: INVALIDATION or INVALIDATIONPREVIEW"}
}
