package session

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"weirkeep/gateway/wire"
)

// naiveFind is Find by splitting strings.
func naiveFind(d *Definition, fields []wire.Field, path, query string) string {
	for _, f := range fields {
		if !strings.EqualFold(string(f.Name), "cookie") || d.Cookie == "" {
			continue
		}
		for _, pair := range strings.Split(string(f.Value), ";") {
			name, value, has := strings.Cut(pair, "=")
			value = strings.Trim(value, " \t")
			if len(value) > 1 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
				value = value[1 : len(value)-1]
			}
			if has && strings.Trim(name, " \t") == d.Cookie && value != "" {
				return "cookie " + value
			}
		}
	}
	if id := naiveInURL(d, path, query); id != "" {
		return "url_param " + id
	}
	return "nothing"
}

func naiveInURL(d *Definition, path, query string) string {
	if d.URLParam == "" {
		return ""
	}
	var candidates []string
	for _, segment := range strings.Split(path, "/") {
		candidates = append(candidates, strings.Split(segment, ";")[1:]...)
	}
	candidates = append(candidates, strings.Split(query, "&")...)
	for _, c := range candidates {
		if value, ok := strings.CutPrefix(c, d.URLParam+"="); ok && value != "" {
			return value
		}
	}
	return ""
}

// naiveLinks is Links for a page that is there at once, by another reader of
// HTML.
func naiveLinks(d *Definition, page string) string {
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			for _, a := range z.Token().Attr {
				if id, _ := d.inReference([]byte(strings.Trim(a.Val, " \t\n\f\r")), nil); slices.Contains(linkAttributes, a.Key) && len(id) > 0 {
					return string(id)
				}
			}
		}
	}
}
