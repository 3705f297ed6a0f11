package admin

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// reportsAt takes everything of web1, and notes what it was told.
type reportsAt struct{ told []string }

func (r *reportsAt) ReportMetric(p Report) (OriginStatus, error) {
	r.told = append(r.told, fmt.Sprintf("%s/%s %v %q", p.Cluster, p.Origin, p.Value, p.Collector))
	switch {
	case p.Origin != "web1":
		return OriginStatus{}, fmt.Errorf("%w: there is only web1", ErrNoOrigin)
	case p.Cluster == "full":
		return OriginStatus{}, errors.New("nothing is pushed to cluster full")
	case math.IsNaN(p.Value):
		return OriginStatus{}, errors.New("it is no number")
	}
	return OriginStatus{Cluster: p.Cluster, Name: p.Origin, Metric: new(int(p.Value)), MetricFrom: "push"}, nil
}

// What is pushed is handed over as it is; whatever is no number is handed over too.
func TestPushes(t *testing.T) {
	for _, tt := range []struct {
		path, body string
		told       string // what the gateway is told
		status     int
		answer     string
	}{
		{"shop/web1", `{"value": 40}`, `shop/web1 40 ""`, 200, `{"cluster":"shop","origin":"web1","metric":40,"metric_from":"push"}`},
		{"shop/web1", `{"value": -3.5, "collector": "jvm h=0.3"}`, `shop/web1 -3.5 "jvm h=0.3"`, 200, `"metric":-3`},
		{"east%2Fshop/web1", `{"value": 1e3}`, `east/shop/web1 1000 ""`, 200, `"cluster":"east/shop"`},
		{"shop/127.0.0.1:9001", `{"value": 1}`, `shop/127.0.0.1:9001 1 ""`, 404, `there is only web1`},
		{"full/web1", `{"value": 1}`, `full/web1 1 ""`, 409, `nothing is pushed to cluster full`},
		{"shop/web1", `{"value": "40"}`, `shop/web1 NaN ""`, 422, `it is no number; a number is pushed as {\"value\": 40}`},
		{"shop/web1", `{"value": null}`, `shop/web1 NaN ""`, 422, `it is no number`},
		{"shop/web1", `{}`, `shop/web1 NaN ""`, 422, `it is no number`},
		{"shop/web1", `{"value": NaN}`, "", 400, ``},
		{"shop/web1", `{"value": 1e999}`, "", 400, ``},
		{"shop/web1", ``, "", 400, `request body is required`},
		{"shop/web1", `{"valeu": 40}`, "", 422, `unexpected property`},
		{"shop/web1", `{"value": 40, "collector": "` + strings.Repeat("x", 129) + `"}`, "", 422, `collector`},
		{"shop/web1", strings.Repeat(" ", 2<<20), "", 413, ``},
		{"shop", `{"value": 40}`, "", 404, `there is nothing at`},
	} {
		r := new(reportsAt)
		o := options(running(), io.Discard)
		o.Reports = r
		status, header, body := post(t, startTCP(t, o)+"/v1/metrics/"+tt.path, tt.body)
		if status != tt.status || !strings.Contains(body, tt.answer) || strings.Join(r.told, "|") != tt.told {
			t.Errorf("%s %.40s: %d %s, told %q; want %d %s, told %s", tt.path, tt.body, status, body, r.told, tt.status, tt.answer, tt.told)
		}
		if status == 200 && header.Get("ETag") != `"rev-4"` {
			t.Errorf("the tag is %s", header.Get("ETag"))
		} else if status != 200 {
			checkProblem(t, status, header, body)
		}
	}
}

func TestPushesNeedTheToken(t *testing.T) {
	r := new(reportsAt)
	o := options(running(), io.Discard)
	o.Reports = r
	url := startTCP(t, o) + "/v1/metrics/shop/web1"
	if status, _, _ := post(t, url, `{"value": 40}`, "Authorization: "); status != 401 || len(r.told) > 0 {
		t.Errorf("without a token: %d, told %q", status, r.told)
	}
	if status, _, _ := ask(t, "GET", url); status != 405 {
		t.Errorf("GET: %d", status)
	}
}
