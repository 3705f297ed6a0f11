package admin

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestRequestsAreExplained(t *testing.T) {
	const head = `"head":"GET / HTTP/1.1\r\nHost: a\r\n\r\n"`
	for _, tt := range []struct {
		name, body string
		status     int
		want       string // part of the answer
	}{
		{"question", `{` + head + `,"from":"10.1.2.3","down":["web1"]}`, 200, `{"down":["web1"],"from":"10.1.2.3","schema":1}`},
		{"nothing else is needed", `{` + head + `}`, 200, `"schema":1`},
		{"no head", `{"head":""}`, 422, `"detail":"the request has no head"`},
		{"no question", `{}`, 422, "head"},
		{"unknown key", `{` + head + `,"form":"10.1.2.3"}`, 422, "form"},
		{"no JSON", `GET /`, 400, `"title":"Bad Request"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := startTCP(t, options(running(), io.Discard))
			status, header, body := send(t, url+"/v1/explain", tt.body)
			if status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("%d %s, want %d with %s", status, body, tt.status, tt.want)
			}
			if status == 200 && header.Get("ETag") != `"rev-4"` {
				t.Errorf("tag %s, want that of the revision", header.Get("ETag"))
			}
		})
	}
}

func TestRulesAreListed(t *testing.T) {
	url := startTCP(t, options(running(), io.Discard))
	status, _, body := ask(t, "GET", url+"/v1/rules")
	if want := `{"rules":["banned"]}` + "\n"; status != 200 || body != want {
		t.Errorf("%d %s, want %s", status, body, want)
	}
}

func TestPluginsAreListed(t *testing.T) {
	url := startTCP(t, options(running(), io.Discard))
	status, _, body := ask(t, "GET", url+"/v1/plugins")
	if want := `{"plugins":["chooser"]}` + "\n"; status != 200 || body != want {
		t.Errorf("%d %s, want %s", status, body, want)
	}
}

// TestQuestionsNeedTheToken: an explanation tells how the gateway is built.
func TestQuestionsNeedTheToken(t *testing.T) {
	url := startTCP(t, options(running(), io.Discard))
	for _, path := range []string{"/v1/explain", "/v1/rules", "/v1/plugins"} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", url+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if status, _, body := do(t, &http.Transport{DisableKeepAlives: true}, r); status != 401 {
			t.Errorf("%s without a token: %d %s, want 401", path, status, body)
		}
	}
}

// send posts a question with the token.
func send(t *testing.T, url, question string) (status int, header http.Header, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secret)
	r.Header.Set("Content-Type", "application/json")
	return do(t, &http.Transport{DisableKeepAlives: true}, r)
}
