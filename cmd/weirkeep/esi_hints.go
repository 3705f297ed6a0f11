package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"weirkeep/gateway/esi"
)

// esiForms are the elements that templates have, each as it is written.
var esiForms = map[string]string{
	"include":        `<esi:include src="/path" alt="/other" onerror="continue"/>`,
	"comment":        `<esi:comment text="for readers of the template"/>`,
	"remove":         `<esi:remove>for those who cannot do ESI</esi:remove>`,
	"vars":           `<esi:vars>Hello $(HTTP_COOKIE{name}|'you')</esi:vars>`,
	"choose":         `<esi:choose><esi:when test="$(QUERY_STRING{a})=='1'">one</esi:when><esi:otherwise>other</esi:otherwise></esi:choose>`,
	"when":           `<esi:choose><esi:when test="$(QUERY_STRING{a})=='1'">one</esi:when></esi:choose>`,
	"otherwise":      `<esi:choose><esi:when test="$(QUERY_STRING{a})=='1'">one</esi:when><esi:otherwise>other</esi:otherwise></esi:choose>`,
	"try":            `<esi:try><esi:attempt><esi:include src="/path"/></esi:attempt><esi:except>sorry</esi:except></esi:try>`,
	"attempt":        `<esi:try><esi:attempt><esi:include src="/path"/></esi:attempt><esi:except>sorry</esi:except></esi:try>`,
	"except":         `<esi:try><esi:attempt><esi:include src="/path"/></esi:attempt><esi:except type="httpclienterror">sorry</esi:except></esi:try>`,
	"inline":         `<esi:inline name="/path">content</esi:inline>`,
	"text":           `<esi:text>passed on unread</esi:text>`,
	"param":          `<esi:include src="/path"><esi:param name="a" value="1"/></esi:include>`,
	"request_header": `<esi:include src="/path"><esi:request_header name="X-A" value="1"/></esi:include>`,
	"request_body":   `<esi:include src="/path"><esi:request_body value="a=1"/></esi:include>`,
	"log":            `<esi:log>for the log</esi:log>`,
	"environment":    `<esi:environment src="/variables" name="a"/>`,
	"invalidate":     `<esi:invalidate>an invalidation message</esi:invalidate>`,
	"assign":         `<esi:assign name="a">1</esi:assign>`,
	"function":       `<esi:function name="a">1</esi:function>`,
}

// esiHint is what to write in the place of what is a problem.
func esiHint(p esi.Problem) string {
	form := cmp.Or(esiForms[p.Element], `<esi:name attribute="value"/>`)
	switch p.Kind {
	case esi.Unknown:
		names := slices.Sorted(maps.Keys(esiForms))
		return didYouMean(strings.ToLower(p.Element), names, "the elements are "+strings.Join(names, ", "))
	case esi.Loose:
		return `write name="value" without blanks round "=", and "/>" at the end of what has no content`
	case esi.Unclosed:
		return "write </esi:" + p.Element + "> where it ends"
	case esi.Stray:
		return "write <esi:" + p.Element + "> where it begins, or leave the end tag out"
	case esi.Test:
		return `write test="$(HTTP_COOKIE{tier})=='gold' & !($(QUERY_STRING{lite})=='1')"`
	case esi.Variable:
		return "write $(NAME), $(NAME{key}) or $(NAME{key}|'default') with HTTP_ACCEPT_LANGUAGE, HTTP_COOKIE, HTTP_HEADER, HTTP_HOST, HTTP_REFERER, HTTP_USER_AGENT or QUERY_STRING"
	case esi.Target:
		return `write "/path", "path" or "https://host/path", and %20 for a blank`
	case esi.Nested, esi.Excess:
		return "move a part of the template to a fragment that is a template itself"
	case esi.Unfinished:
		return "write the rest of the tag: " + form
	}
	return "write " + form
}
