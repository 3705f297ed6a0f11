package abi

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// anywhere is a place where all that the call allows is allowed.
func anywhere(c Call) Where { return Where{Call: c, Status: 200, WholeBody: true, MaxBody: 100} }

// op makes an operation.
func op(code uint16, key, value string) Op {
	return Op{Code: code, Key: []byte(key), Value: []byte(value)}
}

// Each operation stands where the table says, and nowhere else.
func TestOperationsStandWhereTheyMay(t *testing.T) {
	examples := map[uint16]Op{
		OpSetHeader: op(OpSetHeader, "X-A", "a"), OpAddHeader: op(OpAddHeader, "X-A", "a"),
		OpDeleteHeader: op(OpDeleteHeader, "X-A", ""), OpSetPath: op(OpSetPath, "", "/a"),
		OpSetQuery: op(OpSetQuery, "", "a=b"), OpSetHost: op(OpSetHost, "", "a.example"),
		OpSetBody: op(OpSetBody, "", "a"), OpRespond: op(OpRespond, "200", "a"),
		OpTag: op(OpTag, "a", "b"), OpMethod: op(OpMethod, "", "PUT"), OpURL: op(OpURL, "", "https://a.example/"),
	}
	may := map[Call][]uint16{
		OnRequest:  {1, 2, 3, 4, 5, 6, 7, 8, 9},
		OnResponse: {1, 2, 3, 7, 8, 9},
		OnStore:    {1, 2, 3, 7},
		HTTPCall:   {2, 7, 10, 11},
	}
	for call, codes := range may {
		for code, example := range examples {
			ops := []Op{example}
			if call == HTTPCall && code != OpURL {
				ops = append(ops, examples[OpURL])
			}
			err := CheckOps(ops, anywhere(call))
			if want := slices.Contains(codes, code); (err == nil) != want {
				t.Errorf("%s in %s: error %v, allowed %v", opName(code), call, err, want)
			}
		}
	}
}

func TestOperationsThatStandTogether(t *testing.T) {
	header := op(OpSetHeader, "X-A", "a")
	path, query, host := op(OpSetPath, "", "/a"), op(OpSetQuery, "", ""), op(OpSetHost, "", "a")
	body, respond, tag := op(OpSetBody, "", "a"), op(OpRespond, "200", ""), op(OpTag, "a", "")
	url := op(OpURL, "", "https://a.example/")
	many := func(o Op, n int) (ops []Op) {
		for range n {
			ops = append(ops, o)
		}
		return ops
	}
	request := anywhere(OnRequest)
	edited, tagged := request, request
	edited.Edited, tagged.Tags = true, 15
	for _, tt := range []struct {
		name  string
		ops   []Op
		where Where
		ok    bool
	}{
		{"nothing", nil, request, true},
		{"headers often", many(header, 20), request, true},
		{"one edit of all parts", []Op{path, query, host, body}, request, true},
		{"path twice", []Op{path, path}, request, false},
		{"query twice", []Op{query, query}, request, false},
		{"host twice", []Op{host, host}, request, false},
		{"body twice", []Op{body, body}, request, false},
		{"respond twice", []Op{respond, respond}, request, false},
		{"respond with headers and a tag", []Op{header, respond, header, tag}, request, true},
		{"respond, then path", []Op{respond, path}, request, false},
		{"query, then respond", []Op{query, respond}, request, false},
		{"host, then respond", []Op{host, respond}, request, false},
		{"respond, then body", []Op{respond, body}, anywhere(OnResponse), false},
		{"a second edit in the exchange: path", []Op{path}, edited, false},
		{"a second edit in the exchange: query", []Op{query}, edited, false},
		{"a second edit in the exchange: host", []Op{host}, edited, false},
		{"a body after an edit", []Op{body, header}, edited, true},
		{"16 tags", many(tag, 16), request, true},
		{"17 tags", many(tag, 17), request, false},
		{"the 16th tag", many(tag, 1), tagged, true},
		{"the 17th tag", many(tag, 2), tagged, false},
		{"call without a URL", []Op{body}, Where{Call: HTTPCall}, false},
		{"call with two URLs", []Op{url, url}, Where{Call: HTTPCall}, false},
		{"call with a body of any size", []Op{url, op(OpSetBody, "", strings.Repeat("a", 1000))}, Where{Call: HTTPCall}, true},
		{"nowhere", []Op{header}, Where{}, false},
	} {
		err := CheckOps(tt.ops, tt.where)
		if (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrInvalidResult) {
			t.Errorf("%s: error %v, want ok %v", tt.name, err, tt.ok)
		}
	}
}

func TestWhatOperationsSay(t *testing.T) {
	long := strings.Repeat
	for _, tt := range []struct {
		op Op
		ok bool
	}{
		{op(OpSetHeader, "X-A", ""), true},
		{op(OpSetHeader, "", "a"), false},
		{op(OpSetHeader, long("a", 256), "a"), true},
		{op(OpSetHeader, long("a", 257), "a"), false},
		{op(OpSetHeader, "X-A:", "a"), false},
		{op(OpSetHeader, "!#$%&'*+-.^_`|~", "a"), true},
		{op(OpSetHeader, "X-\xe9", "a"), false},
		{op(OpAddHeader, "X-A", "a\tb \x80\xff~"), true},
		{op(OpAddHeader, "X-A", "\ta"), false},
		{op(OpAddHeader, "X-A", "a\t"), false},
		{op(OpAddHeader, "X-A", " "), false},
		{op(OpAddHeader, "X-A", "a\nb"), false},
		{op(OpAddHeader, "X-A", "a\x00b"), false},
		{op(OpAddHeader, "X-A", "a\x7fb"), false},
		{op(OpAddHeader, "X-A", long("a", 8192)), true},
		{op(OpAddHeader, "X-A", long("a", 8193)), false},
		{op(OpDeleteHeader, "X-A", "a"), false},
		{op(OpDeleteHeader, "Set-Cookie", ""), true},

		{op(OpSetPath, "", "/"), true},
		{op(OpSetPath, "", ""), false},
		{op(OpSetPath, "x", "/"), false},
		{op(OpSetPath, "", "/a-._~!$&'()*+,;=:@/%2f%C3"), true},
		{op(OpSetPath, "", "/%2"), false},
		{op(OpSetPath, "", "/%zz"), false},
		{op(OpSetPath, "", "/%"), false},
		{op(OpSetPath, "", "/a b"), false},
		{op(OpSetPath, "", "/a#b"), false},
		{op(OpSetPath, "", "/a\\b"), false},
		{op(OpSetPath, "", "/ä"), false},
		{op(OpSetPath, "", "/"+long("a", 8191)), true},
		{op(OpSetPath, "", "/"+long("a", 8192)), false},
		{op(OpSetQuery, "", "a=/?%20"), true},
		{op(OpSetQuery, "", "a=%2"), false},
		{op(OpSetQuery, "", "a b"), false},
		{op(OpSetQuery, "", "a#b"), false},
		{op(OpSetQuery, "", "a=[1]"), false},

		{op(OpSetHost, "", "shop.example"), true},
		{op(OpSetHost, "", "192.0.2.7:1"), true},
		{op(OpSetHost, "", "[2001:db8::1]"), true},
		{op(OpSetHost, "", "[2001:db8::1]:65535"), true},
		{op(OpSetHost, "", "2001:db8::1"), false},
		{op(OpSetHost, "", "[192.0.2.7]"), false},
		{op(OpSetHost, "", "[fe80::1%eth0]"), false},
		{op(OpSetHost, "", "[::1"), false},
		{op(OpSetHost, "", ""), false},
		{op(OpSetHost, "", ":80"), false},
		{op(OpSetHost, "", "a:"), false},
		{op(OpSetHost, "", "a:0"), false},
		{op(OpSetHost, "", "a:080"), false},
		{op(OpSetHost, "", "a:65536"), false},
		{op(OpSetHost, "", "a:8a"), false},
		{op(OpSetHost, "", "u@a"), false},
		{op(OpSetHost, "", "a/b"), false},
		{op(OpSetHost, "", "a b"), false},
		{op(OpSetHost, "", long("a", 256)), false},

		{op(OpSetBody, "", long("a", 100)), true},
		{op(OpSetBody, "", long("a", 101)), false},
		{op(OpSetBody, "a", ""), false},

		{op(OpRespond, "200", "a"), true},
		{op(OpRespond, "599", ""), true},
		{op(OpRespond, "199", ""), false},
		{op(OpRespond, "600", ""), false},
		{op(OpRespond, "20", ""), false},
		{op(OpRespond, "2000", ""), false},
		{op(OpRespond, "2x0", ""), false},
		{op(OpRespond, "", ""), false},
		{op(OpRespond, "204", ""), true},
		{op(OpRespond, "304", ""), true},
		{op(OpRespond, "304", "a"), false},

		{op(OpTag, "a_b.c-9", "ü"), true},
		{op(OpTag, "", "a"), false},
		{op(OpTag, "A", "a"), false},
		{op(OpTag, long("a", 32), long("a", 256)), true},
		{op(OpTag, long("a", 33), "a"), false},
		{op(OpTag, "a", long("a", 257)), false},
		{op(OpTag, "a", "a\nb"), false},
		{op(OpTag, "a", "a\u0085b"), false},
		{op(OpTag, "a", "\xff"), false},
		{op(OpTag, "a", "\ufffd"), true},

		{op(0, "", ""), false},
		{op(12, "", ""), false},
		{op(65535, "", ""), false},
	} {
		err := CheckOps([]Op{tt.op}, anywhere(OnRequest))
		if (err == nil) != tt.ok {
			t.Errorf("code %d, key %.40q, value %.40q: error %v, want ok %v", tt.op.Code, tt.op.Key, tt.op.Value, err, tt.ok)
		}
	}
}

func TestWhoseBodyMayBeSet(t *testing.T) {
	for _, tt := range []struct {
		name  string
		where Where
		ok    bool
	}{
		{"shown whole", Where{Call: OnResponse, Status: 200, WholeBody: true, MaxBody: 1}, true},
		{"of a stored answer", Where{Call: OnStore, Status: 200, WholeBody: true, MaxBody: 1}, true},
		{"not shown", Where{Call: OnResponse, Status: 200, MaxBody: 1}, false},
		{"to HEAD", Where{Call: OnResponse, Status: 200, WholeBody: true, MaxBody: 1, Head: true}, false},
		{"of 204", Where{Call: OnResponse, Status: 204, WholeBody: true, MaxBody: 1}, false},
		{"of 206", Where{Call: OnResponse, Status: 206, WholeBody: true, MaxBody: 1}, false},
		{"of 304", Where{Call: OnResponse, Status: 304, WholeBody: true, MaxBody: 1}, false},
	} {
		if err := CheckOps([]Op{op(OpSetBody, "", "a")}, tt.where); (err == nil) != tt.ok {
			t.Errorf("%s: error %v, want ok %v", tt.name, err, tt.ok)
		}
	}
}

func TestRefusedNames(t *testing.T) {
	for name, refused := range map[string]bool{
		"Connection": true, "KEEP-ALIVE": true, "Proxy-Authorization": true, "proxy-connection": true, "Proxy-x": true,
		"TE": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Content-Length": true, "Host": true,
		"Expect": true, "HTTP2-Settings": true, "Via": true, "Forwarded": true, "X-Forwarded-For": true,
		"X-Forwarded-Host": true, "X-Forwarded-Proto": true, "Age": true, "Cache-Status": true,
		"Proxy": false, "X-Forwarded-Port": false, "Content-Type": false, "Trailers": false, "X-Via": false, "Cookie": false,
	} {
		if got := RefusedName([]byte(name)); got != refused {
			t.Errorf("RefusedName(%q) = %v", name, got)
		}
		for _, code := range []uint16{OpSetHeader, OpAddHeader, OpDeleteHeader} {
			if err := CheckOps([]Op{op(code, name, "")}, anywhere(OnRequest)); (err != nil) != refused {
				t.Errorf("%s %q: error %v, want refused %v", opName(code), name, err, refused)
			}
		}
	}
}
