package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// browser is the head of a page view: 680 bytes with its request line.
const browser = "Host: shop.example\r\n" +
	"Connection: keep-alive\r\n" +
	"Cache-Control: max-age=0\r\n" +
	"Upgrade-Insecure-Requests: 1\r\n" +
	"User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\n" +
	"Sec-Fetch-Site: same-origin\r\n" +
	"Sec-Fetch-Mode: navigate\r\n" +
	"Sec-Fetch-User: ?1\r\n" +
	"Sec-Fetch-Dest: document\r\n" +
	"Referer: https://shop.example/catalogue/garden?page=2\r\n" +
	"Accept-Encoding: gzip, deflate, br, zstd\r\n" +
	"Accept-Language: en-GB,en;q=0.9,de;q=0.8\r\n" +
	"Cookie: session=6f1c0a9e4b7d4c55a1b2; theme=dark; consent=yes\r\n" +
	"Priority: u=0, i\r\n" +
	"If-None-Match: \"5f8a-61b2c3d4\"\r\n" +
	"\r\n"

const host = "Host: a.example\r\n"

func TestEmptyHostIsHost(t *testing.T) {
	for minor := range 2 {
		var h Head
		if err := h.ParseRequest([]byte("Host: \r\n\r\n"), minor, &Rules{}); err != nil || h.Host == nil || len(h.Host) > 0 {
			t.Errorf("HTTP/1.%d: Host %q, error %v; want an empty Host", minor, h.Host, err)
		}
	}
}

func TestRequestsThatAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		block string
		want  error
	}{
		{"no Host", "Accept: a/b\r\n\r\n", ErrHost},
		{"empty Host twice", "Host:\r\nHost:\r\n\r\n", ErrHost},
		{"Host twice, equal", host + host, ErrHost},
		{"Host twice, in another case", host + "hOsT: b.example\r\n", ErrHost},
		{"Host with user information", "Host: u:p@a.example\r\n", ErrHost},
		{"Host with a scheme", "Host: http://a.example\r\n", ErrHost},
		{"folded line", host + "X-A: 1\r\n 2\r\n\r\n", ErrLine},
		{"folded line of blanks", host + "X-A:\r\n\t\r\n\r\n", ErrLine},
		{"blank before the first line", " X-A: 1\r\n" + host, ErrLine},
		{"line without colon", host + "X-A\r\n\r\n", ErrLine},
		{"bare LF", host + "X-A: 1\nX-B: 2\r\n\r\n", ErrLine},
		{"blank line of LF alone", host + "\n" + host, ErrLine},
		{"bytes after the blank line", host + "\r\nX: y\r\n", ErrLine},
		{"line without end", host + "X-A: 1", ErrLine},
		{"line cut in its CRLF", host + "X-A: 1\r", ErrLine},
		{"name cut", host + "X-A", ErrLine},
		{"empty name", host + ": 1\r\n", ErrName},
		{"blank before the colon", host + "X-A : 1\r\n", ErrName},
		{"blank in the name", host + "X A: 1\r\n", ErrName},
		{"CR before the name", host + "\rX-A: 1\r\n", ErrLine},
		{"high byte in the name", host + "X\xe9A: 1\r\n", ErrName},
		{"NUL in the name", host + "X\x00A: 1\r\n", ErrName},
		{"long name", host + strings.Repeat("n", 257) + ": 1\r\n", ErrNameLong},
		{"NUL in the value", host + "X-A: a\x00b\r\n", ErrValue},
		{"DEL in the value", host + "X-A: a\x7fb\r\n", ErrValue},
		{"CR in the value", host + "X-A: a\rX-B: b\r\n", ErrValue},
		{"CR before the CRLF", host + "X-A: a\r\r\n", ErrValue},
		{"control after a tab", host + "X-A: 1234567\t\x01\r\n", ErrValue},
		{"129 fields", host + strings.Repeat("A: b\r\n", 128), ErrCount},
		{"length twice, equal", host + "Content-Length: 5\r\ncontent-length: 5\r\n", ErrLength},
		{"length as a list", host + "Content-Length: 5, 5\r\n", ErrLength},
		{"length with a sign", host + "Content-Length: +5\r\n", ErrLength},
		{"length in hexadecimal", host + "Content-Length: 0x5\r\n", ErrLength},
		{"no length in it", host + "Content-Length: \r\n", ErrLength},
		{"length of 2^63", host + "Content-Length: 9223372036854775808\r\n", ErrLength},
		{"length over 2^64", host + "Content-Length: 18446744073709551621\r\n", ErrLength},
		{"length and coding", host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", ErrLength},
		{"coding and length", host + "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", ErrLength},
		{"coding twice", host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", ErrCoding},
		{"coding identity", host + "Transfer-Encoding: identity\r\n", ErrCoding},
		{"codings in a list", host + "Transfer-Encoding: gzip, chunked\r\n", ErrCoding},
		{"coding in quotes", host + "Transfer-Encoding: \"chunked\"\r\n", ErrCoding},
		{"coding with a Kelvin sign", host + "Transfer-Encoding: chun\xe2\x84\xaaed\r\n", ErrCoding},
		{"no coding in it", host + "Transfer-Encoding:\r\n", ErrCoding},
		{"unknown expectation", host + "Expect: x-magic\r\n", ErrExpect},
		{"expectation twice", host + "Expect: 100-continue\r\nExpect: 100-continue\r\n", ErrExpect},
		{"Connection lists Host", host + "Connection: Host\r\n", ErrConnection},
		{"Connection lists the length", host + "Connection: close, Content-Length\r\n", ErrConnection},
		{"Connection lists credentials", host + "Connection: authorization\r\n", ErrConnection},
		{"Connection lists the client", host + "Connection: X-Forwarded-For\r\n", ErrConnection},
		{"Connection lists no token", host + "Connection: a b\r\n", ErrConnection},
		{"Connection lists 17 names", host + "Connection: " + strings.Repeat("a,", 17) + "\r\n", ErrConnection},
		{"Content-Type twice", host + "Content-Type: a/b\r\nContent-Type: a/b\r\n", ErrRepeated},
		{"Authorization twice", host + "Authorization: x\r\nAuthorization: y\r\n", ErrRepeated},
		{"Upgrade twice", host + "Upgrade: a\r\nUpgrade: b\r\n", ErrRepeated},
		{"look-alike length", host + "Content_Length: 5\r\n", ErrUnderscore},
		{"look-alike coding", host + "transfer_encoding: chunked\r\n", ErrUnderscore},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var h Head
			if err := h.ParseRequest([]byte(tt.block), 1, &Rules{}); !errors.Is(err, tt.want) {
				t.Errorf("ParseRequest(%q) = %v, want %v", tt.block, err, tt.want)
			}
		})
	}
}

func TestRequestsThatAreTaken(t *testing.T) {
	for _, tt := range []struct {
		name  string
		block string
		minor int
		fact  func(h *Head) bool
	}{
		{"without the blank line", host, 1, func(h *Head) bool { return string(h.Host) == "a.example" }},
		{"empty block in 1.0", "", 0, func(h *Head) bool { return h.Host == nil && h.Length == NoLength }},
		{"blank line alone in 1.0", "\r\n", 0, func(h *Head) bool { return len(h.Fields) == 0 }},
		{"Host with a port", "Host: a.example:8080\r\n", 1, func(h *Head) bool { return string(h.Host) == "a.example:8080" }},
		{"blanks around a value", host + "X: \t v  w \t \r\n", 1, func(h *Head) bool { return string(h.Fields[1].Value) == "v  w" }},
		{"empty value", host + "X:\r\n", 1, func(h *Head) bool { return len(h.Fields[1].Value) == 0 }},
		{"tabs and high bytes in a value", host + "X: a\tb\xc3\xa9\r\n", 1, func(h *Head) bool { return string(h.Fields[1].Value) == "a\tb\xc3\xa9" }},
		{"128 fields", host + strings.Repeat("A: b\r\n", 127), 1, func(h *Head) bool { return len(h.Fields) == 128 }},
		{"name of 256 bytes", host + strings.Repeat("n", 256) + ": 1\r\n", 1, func(h *Head) bool { return len(h.Fields[1].Name) == 256 }},
		{"length", host + "Content-Length: 0005 \r\n", 1, func(h *Head) bool { return h.Length == 5 }},
		{"greatest length", host + "Content-Length: 9223372036854775807\r\n", 1, func(h *Head) bool { return h.Length == 1<<63-1 }},
		{"coding in any case", host + "TRANSFER-encoding: ChUnKeD\r\n", 1, func(h *Head) bool { return h.Length == Chunked }},
		{"close in a second field", host + "Connection: keep-alive\r\nConnection: , close\r\n", 1, func(h *Head) bool { return h.Close && h.KeepAlive }},
		{"upgrade", host + "Upgrade: websocket\r\nConnection: Upgrade\r\n", 1, func(h *Head) bool { return string(h.Upgrade) == "websocket" }},
		{"upgrade that Connection does not list", host + "Upgrade: h2c\r\n", 1, func(h *Head) bool { return h.Upgrade == nil }},
		{"upgrade in 1.0", host + "Upgrade: h2c\r\nConnection: upgrade\r\n", 0, func(h *Head) bool { return h.Upgrade == nil }},
		{"upgrade to nothing", host + "Upgrade:\r\nConnection: upgrade\r\n", 1, func(h *Head) bool { return h.Upgrade == nil }},
		{"trailers", host + "TE: gzip;q=0.5, trailers\r\n", 1, func(h *Head) bool { return h.Trailers }},
		{"trailers announced", host + "Trailer: X-Sum\r\n", 1, func(h *Head) bool { return h.HasTrailerField && !h.Trailers }},
		{"expectation", host + "Expect: 100-Continue\r\n", 1, func(h *Head) bool { return h.Expect }},
		{"expectation in 1.0 is ignored", host + "Expect: 100-continue\r\n", 0, func(h *Head) bool { return !h.Expect }},
		{"User-Agent twice", host + "User-Agent: a\r\nUser-Agent: b\r\n", 1, func(h *Head) bool { return string(h.UserAgent) == "a" && len(h.Fields) == 3 }},
		{"request id twice", host + "X-Request-Id: a\r\nX-Request-Id: b\r\n", 1, func(h *Head) bool { return string(h.RequestID) == "a" }},
		{"Date and Via", host + "Date: x\r\nVia: y\r\n", 1, func(h *Head) bool { return h.HasDate && h.HasVia }},
		{"Referer", host + "Referer: /x\r\n", 1, func(h *Head) bool { return string(h.Referer) == "/x" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var h Head
			if err := h.ParseRequest([]byte(tt.block), tt.minor, &Rules{}); err != nil {
				t.Fatalf("ParseRequest(%q) = %v", tt.block, err)
			}
			if !tt.fact(&h) {
				t.Errorf("ParseRequest(%q) gave %+v", tt.block, h)
			}
		})
	}
}

func TestCodingInHTTP10IsRefused(t *testing.T) {
	var h Head
	if err := h.ParseRequest([]byte("Transfer-Encoding: chunked\r\n"), 0, &Rules{}); !errors.Is(err, ErrLength) {
		t.Errorf("request: %v, want ErrLength", err)
	}
	if err := h.ParseResponse([]byte("Transfer-Encoding: chunked\r\n"), 0, &Rules{}); !errors.Is(err, ErrLength) {
		t.Errorf("answer: %v, want ErrLength", err)
	}
}

func TestClasses(t *testing.T) {
	for _, tt := range []struct {
		field  string
		rest   string // further fields
		under  Underscore
		class  Class // in a request
		answer Class // in an answer
	}{
		{field: "X-Anything", class: Plain},
		{field: "Accept", class: Plain},
		{field: "Connection", class: Hop, answer: Hop},
		{field: "Keep-Alive", class: Hop, answer: Hop},
		{field: "proxy-connection", class: Hop, answer: Hop},
		{field: "Proxy-Authorization", class: Hop, answer: Hop},
		{field: "Proxy", class: Hop, answer: Hop},
		{field: "TE", class: Hop, answer: Hop},
		{field: "HTTP2-Settings", class: Hop, answer: Hop},
		{field: "X-Secret", rest: "Connection: close, x-SECRET\r\n", class: Hop, answer: Hop},
		{field: "Cookie", rest: "Connection: cookies\r\n", class: Plain},
		{field: "X-Request-Id", class: RequestID, answer: RequestID},
		{field: "Via", class: Via, answer: Via},
		{field: "Date", class: Date, answer: Date},
		{field: "Forwarded", class: Identity},
		{field: "X-Forwarded-For", class: Identity},
		{field: "X-Forwarded", class: Identity},
		{field: "X-Forwarded-Whatever-Comes-Later-And-However-Long-It-Is-Called-Then", class: Identity},
		{field: "X-Forward", class: Plain},
		{field: "X-Real-IP", class: Identity},
		{field: "X-Original-URL", class: Identity},
		{field: "Client-Cert", class: Identity},
		{field: "X_Y", class: Underscored},
		{field: "X_Real_IP", class: Underscored},
		{field: "X_Y", under: Pass, class: Underscored},
		{field: "X_Real_IP", under: Pass, class: Identity},
		{field: "X-Forwarded_For", under: Pass, class: Identity},
		{field: "Keep_Alive", under: Pass, class: Hop},
	} {
		t.Run(fmt.Sprint(tt.field, tt.rest, tt.under), func(t *testing.T) {
			var h Head
			rules := &Rules{Underscores: tt.under}
			block := []byte(tt.field + ": v\r\n" + host + tt.rest)
			if err := h.ParseRequest(block, 1, rules); err != nil || h.Fields[0].Class != tt.class {
				t.Errorf("in a request: class %d, error %v, want class %d", h.Fields[0].Class, err, tt.class)
			}
			if err := h.ParseResponse(block, 1, rules); err != nil || h.Fields[0].Class != tt.answer {
				t.Errorf("in an answer: class %d, error %v, want class %d", h.Fields[0].Class, err, tt.answer)
			}
		})
	}
}

func TestUnderscoresRefused(t *testing.T) {
	var h Head
	rules := &Rules{Underscores: Refuse}
	if err := h.ParseRequest([]byte(host+"X_Y: 1\r\n"), 1, rules); !errors.Is(err, ErrUnderscore) {
		t.Errorf("request: %v, want ErrUnderscore", err)
	}
	if err := h.ParseResponse([]byte("X_Y: 1\r\n"), 1, rules); err != nil {
		t.Errorf("answer: %v, want nil", err)
	}
}

func TestRulesBoundNamesAndCount(t *testing.T) {
	var h Head
	rules := &Rules{NameBytes: 4, Count: 2}
	if err := h.ParseRequest([]byte(host+"ABCDE: 1\r\n"), 1, rules); !errors.Is(err, ErrNameLong) {
		t.Errorf("five bytes: %v, want ErrNameLong", err)
	}
	if err := h.ParseRequest([]byte(host+"A: 1\r\nB: 2\r\n"), 1, rules); !errors.Is(err, ErrCount) {
		t.Errorf("three fields: %v, want ErrCount", err)
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		block  string
		err    error
		length int64
		close  bool
	}{
		{name: "no length", block: "Server: x\r\n", length: NoLength},
		{name: "length", block: "Content-Length: 7\r\n", length: 7},
		{name: "coding", block: "Transfer-Encoding: chunked\r\n", length: Chunked},
		{name: "coding outranks length, and ends the connection", block: "Content-Length: 7\r\nTransfer-Encoding: chunked\r\n", length: Chunked, close: true},
		{name: "close", block: "Connection: close\r\n", length: NoLength, close: true},
		{name: "100 cookies", block: strings.Repeat("Set-Cookie: a=b\r\n", 100), length: NoLength},
		{name: "repeated type", block: "Content-Type: a/b\r\nContent-Type: a/b\r\n", length: NoLength},
		{name: "request fields mean nothing", block: "Host: {}\r\nExpect: x\r\n", length: NoLength},
		{name: "Connection lists what stays", block: "Set-Cookie: a=b\r\nConnection: Set-Cookie\r\n", length: NoLength},
		{name: "length twice", block: "Content-Length: 7\r\nContent-Length: 7\r\n", err: ErrLength},
		{name: "malformed length beside coding", block: "Content-Length: x\r\nTransfer-Encoding: chunked\r\n", err: ErrLength},
		{name: "other coding", block: "Transfer-Encoding: gzip\r\n", err: ErrCoding},
		{name: "other coding, the old name", block: "Transfer-Encoding: X-GZip\r\n", err: ErrCoding},
		{name: "two codings", block: "Transfer-Encoding: zork, chunked\r\n", err: ErrCoding},
		{name: "two codings on two lines", block: "Transfer-Encoding: zork\r\nTransfer-Encoding: chunked\r\n", err: ErrCoding},
		{name: "two codings on two lines, chunked first", block: "Transfer-Encoding: chunked\r\nTransfer-Encoding: zork\r\n", err: ErrCoding},
		{name: "coding with a parameter", block: "Transfer-Encoding: chunked;q=1\r\n", err: ErrCoding},
		{name: "no coding", block: "Transfer-Encoding:\r\n", err: ErrCoding},
		{name: "unknown coding", block: "Transfer-Encoding: zork\r\n", length: NoLength, close: true},
		{name: "unknown coding outranks length", block: "Transfer-Encoding: zork\r\nContent-Length: 7\r\n", length: NoLength, close: true},
		{name: "folded line", block: "A: 1\r\n 2\r\n", err: ErrLine},
		{name: "look-alike", block: "Content_Length: 7\r\n", err: ErrUnderscore},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var h Head
			err := h.ParseResponse([]byte(tt.block), 1, &Rules{})
			if !errors.Is(err, tt.err) {
				t.Fatalf("ParseResponse = %v, want %v", err, tt.err)
			}
			if err == nil && (h.Length != tt.length || h.Close != tt.close) {
				t.Errorf("length %d, close %v; want %d, %v", h.Length, h.Close, tt.length, tt.close)
			}
		})
	}
}

func TestListedFieldThatMayNotBeDroppedStaysInAnswers(t *testing.T) {
	var h Head
	if err := h.ParseResponse([]byte("Set-Cookie: a=b\r\nConnection: set-cookie\r\n"), 1, &Rules{}); err != nil {
		t.Fatal(err)
	}
	if c := h.Fields[0].Class; c != Plain {
		t.Errorf("Set-Cookie has class %d, want Plain", c)
	}
}

func TestAnswerLength(t *testing.T) {
	for _, tt := range []struct {
		method string
		status int
		length int64 // stated
		want   int64
	}{
		{"GET", 200, 7, 7},
		{"GET", 200, 0, 0},
		{"GET", 200, Chunked, Chunked},
		{"GET", 200, NoLength, UntilClose},
		{"HEAD", 200, 7, 0},
		{"HEAD", 200, Chunked, 0},
		{"head", 200, 7, 7},
		{"GET", 103, 7, 0},
		{"GET", 204, 7, 0},
		{"GET", 304, Chunked, 0},
		{"GET", 205, NoLength, UntilClose},
	} {
		h := Head{Length: tt.length}
		if got := h.AnswerLength([]byte(tt.method), tt.status); got != tt.want {
			t.Errorf("%s %d with length %d: %d, want %d", tt.method, tt.status, tt.length, got, tt.want)
		}
	}
}

// A Head is reused: nothing of one message may show in the next.
func TestHeadForgets(t *testing.T) {
	var h Head
	full := host + "Connection: close, upgrade, x-a\r\nUpgrade: b\r\nTE: trailers\r\nTrailer: c\r\nExpect: 100-continue\r\n" +
		"X-Request-Id: d\r\nUser-Agent: e\r\nReferer: f\r\nDate: g\r\nVia: h\r\nContent-Length: 9\r\nX-A: i\r\n"
	if err := h.ParseRequest([]byte(full), 1, &Rules{}); err != nil {
		t.Fatal(err)
	}
	if err := h.ParseRequest([]byte("X-A: 1\r\n"), 0, &Rules{}); err != nil {
		t.Fatal(err)
	}
	var fresh Head
	if err := fresh.ParseRequest([]byte("X-A: 1\r\n"), 0, &Rules{}); err != nil {
		t.Fatal(err)
	}
	fresh.listed = fresh.listed[:0]
	h.listed = nil
	if got, want := fmt.Sprintf("%+v", h), fmt.Sprintf("%+v", fresh); got != want {
		t.Errorf("reused head\n%s, want\n%s", got, want)
	}
}

// Budget: the strict check costs no allocation. See BenchmarkParseRequest for
// time.
func TestParseRequestAllocs(t *testing.T) {
	h, rules, block := new(Head), new(Rules), []byte(browser)
	if err := h.ParseRequest(block, 1, rules); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1000, func() { h.ParseRequest(block, 1, rules) }); n != 0 {
		t.Errorf("ParseRequest allocates %v times, want 0", n)
	}
}

// BenchmarkParseRequest has a budget of 1 µs/op and 0 allocs/op for the head of a
// browser's request.
func BenchmarkParseRequest(b *testing.B) {
	h, rules, block := new(Head), new(Rules), []byte(browser)
	b.SetBytes(int64(len(block)))
	b.ReportAllocs()
	for b.Loop() {
		if err := h.ParseRequest(block, 1, rules); err != nil {
			b.Fatal(err)
		}
	}
}

func TestListedNamesAreBounded(t *testing.T) {
	var h Head
	block := []byte(host + "Connection: close" + strings.Repeat(", keep-alive", 50) + strings.Repeat(",a", maxListed) + "\r\n")
	if err := h.ParseRequest(block, 1, &Rules{}); err != nil {
		t.Errorf("%d names beside options: %v", maxListed, err)
	}
}
