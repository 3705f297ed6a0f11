package gateway

import (
	"log/slog"
	"strings"
	"testing"
)

// D5: charsets are not converted; a fragment that says another one is put in as it is, and told of.
func TestCharsetsOfFragments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		page, fragment string // parameters of Content-Type
		told           bool
	}{
		{"; charset=utf-8", "; charset=iso-8859-1", true},
		{"; charset=utf-8", `; x=y; Charset="UTF-8"`, false},
		{"; charset=utf-8", "", false},
		{"", "; charset=iso-8859-1", false},
	} {
		log := new(reportLog)
		k := newKioskOf(t, "", map[string]served{
			"/page": {strings.Replace(asTemplate, "text/html", "text/html"+tt.page, 1), `<esi:include src="/f"/>`, ""},
			"/f":    {stored60 + "Content-Type: text/html" + tt.fragment + "\r\n", "\xe4", ""},
		}, Options{Logger: slog.New(slog.NewTextHandler(log, nil))})
		wantBody(t, tt.fragment, k.get(t, "/page"), "\xe4")
		if told := strings.Contains(strings.Join(log.lines(), " "), "another charset"); told != tt.told {
			t.Errorf("page %q, fragment %q: told of: %v, want %v", tt.page, tt.fragment, told, tt.told)
		}
	}
}
