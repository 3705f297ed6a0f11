package cache

import (
	"testing"
	"time"
)

func TestDates(t *testing.T) {
	want := time.Date(2045, time.May, 5, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ id, text string }{
		{"D1", "Fri, 05 May 2045 10:00:00 GMT"},
		{"D1", "Friday, 05-May-45 10:00:00 GMT"},
		{"D1", "Fri May  5 10:00:00 2045"},
		{"D1", "Fri May 05 10:00:00 2045"},
		{"D2", "FRI, 05 MAY 2045 10:00:00 gmt"},
		{"D2", "fri, 05 may 2045 10:00:00 GMT"},
		{"D2", "Fri, 05 May 2045 10:00:00 Gmt"},
		{"D2", "FRIDAY, 05-MAY-45 10:00:00 gmt"},
		{"D2", "fri mAY  5 10:00:00 2045"},
		{"D3", "Mon, 05 May 2045 10:00:00 GMT"},
		{"D3", "Sunday, 05-May-45 10:00:00 GMT"},
	} {
		if got, ok := parseDate([]byte(tt.text), epoch); !ok || !got.Equal(want) {
			t.Errorf("%s: %q is %v, %v", tt.id, tt.text, got, ok)
		}
	}
	for _, tt := range []struct {
		id, text string
		want     time.Time
	}{
		{"D1 last century", "Tuesday, 03-Mar-77 10:00:00 GMT", time.Date(1977, time.March, 3, 10, 0, 0, 0, time.UTC)},
		{"D1 50 years ahead", "Tuesday, 03-Mar-76 10:00:00 GMT", time.Date(2076, time.March, 3, 10, 0, 0, 0, time.UTC)},
		{"D1", "Sun Nov 15 10:00:00 2026", time.Date(2026, time.November, 15, 10, 0, 0, 0, time.UTC)},
		{"D4", "Tue, 19 Jan 2038 14:14:08 GMT", time.Date(2038, time.January, 19, 14, 14, 8, 0, time.UTC)},
		{"D4", "Sun, 21 Nov 2286 04:46:39 GMT", time.Date(2286, time.November, 21, 4, 46, 39, 0, time.UTC)},
		{"D4", "Fri, 31 Dec 9999 23:59:59 GMT", time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)},
		{"leap second", "Sat, 31 Dec 2016 23:59:60 GMT", time.Date(2016, time.December, 31, 23, 59, 59, 0, time.UTC)},
		{"leap day", "Thu, 29 Feb 2024 00:00:00 GMT", time.Date(2024, time.February, 29, 0, 0, 0, 0, time.UTC)},
	} {
		if got, ok := parseDate([]byte(tt.text), epoch); !ok || !got.Equal(tt.want) {
			t.Errorf("%s: %q is %v, %v", tt.id, tt.text, got, ok)
		}
	}
}

func TestNoDates(t *testing.T) {
	for _, text := range []string{ // D5
		"Fri, 05 May 2045 10:00:00 UTC",
		"Fri, 05 May 2045 10:00:00 EST",
		"Fri, 05 May 2045 10:00:00 +0000",
		"Fri, 05 May 2045 10:00:00",
		"Fri, 05 May 45 10:00:00 GMT",
		"Fri 05 May 2045 10:00:00 GMT",
		"Fri,  05 May 2045 10:00:00 GMT",
		"Fri, 05  May 2045 10:00:00 GMT",
		"Fri, 05 May  2045 10:00:00 GMT",
		"Fri, 05 May 2045  10:00:00 GMT",
		"Fri, 05 May 2045 10:00:00  GMT",
		"Fri, 05-May-2045 10:00:00 GMT",
		"Friday, 05-May-2045 10:00:00 GMT",
		"Fri, 05-May-45 10:00:00 GMT",
		"Friday, 05 May 2045 10:00:00 GMT",
		"Fri, 05 May 2045 10.00.00 GMT",
		"Fri, 05 May 2045 9:00:00 GMT",
		"Fri, 5 May 2045 10:00:00 GMT",
		"Fri, 05 Mai 2045 10:00:00 GMT",
		"Fox, 05 May 2045 10:00:00 GMT",
		"Fri, 05 May 2045 24:00:00 GMT",
		"Fri, 05 May 2045 10:60:00 GMT",
		"Fri, 05 May 2045 10:00:61 GMT",
		"Fri, 00 May 2045 10:00:00 GMT",
		"Fri, 31 Apr 2045 10:00:00 GMT",
		"Fri, 29 Feb 2045 10:00:00 GMT",
		"Fri, 05 May 2045 10:00:00 GMT ",
		"Fri, 05 May 2045 10:00:00 GMTx",
		" Fri, 05 May 2045 10:00:00 GMT",
		"Fri, 05 May 2045 -1:00:00 GMT",
		"Fri May 5 10:00:00 2045",
		"Fri May  5 10:00:00 2045 GMT",
		"Fri  May 5 10:00:00 2045",
		"2045-05-05T10:00:00Z",
		"0", "-1", "",
	} {
		if got, ok := parseDate([]byte(text), epoch); ok {
			t.Errorf("D5: %q is %v", text, got)
		}
		if text == "" || text[0] == ' ' || text[len(text)-1] == ' ' {
			continue // no field has such a value
		}
		want := "refused: expired"
		if got := outcome(policies()["conformance"], request(t, ""), answer(t, "X: 1 / Expires: "+text), request(t, ""), 0); got != want {
			t.Errorf("D5: Expires %q: %s, want %s", text, got, want)
		}
	}
	check(t, policies()[""], []row{
		{id: "D5", answer: "Expires: D(600) / Expires: D(600)", want: "refused: expired"},
		{id: "D4", answer: "Expires: Sun, 21 Nov 2286 04:46:39 GMT", after: 3, want: "fresh"},
		{id: "D4", answer: "Expires: Fri, 31 Dec 9999 23:59:59 GMT", after: 3, want: "fresh"},
		{id: "D4", answer: "Date: Sat, 01 Jan 0000 00:00:00 GMT / Expires: Fri, 31 Dec 9999 23:59:59 GMT", want: "refused: expired"},
	})
}
