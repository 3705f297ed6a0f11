package rules

import (
	"regexp"
	"testing"
)

// What people type who know other languages, and what the hint tells them to write.
var hinted = []struct{ source, want string }{
	// Texts and their escapes.
	{`path matches "\d+"`, `write \\d, or put the text in backticks, in which \ stands for itself`},
	{`path == "\x4"`, `write \\x, or put the text in backticks, in which \ stands for itself`},
	{`path == "\`, `write \\, or put the text in backticks, in which \ stands for itself`},
	{`path == "/x`, `a text ends with the quote that it begins with; \" in it is one that does not end it`},
	{`path == “/x”`, `texts stand in straight quotes: "a"`},
	{`method == GET`, `texts stand in quotes: "GET"`},
	{`host == shop.example.com`, `texts stand in quotes: "shop.example.com"`},
	{`host in [shop]`, `texts stand in quotes: "shop"`},
	{`cookie(beta) == "1"`, `texts stand in quotes: "beta"`},
	{`bucket(beta) < 5`, `texts stand in quotes: "beta"`},
	{`path == TRUE`, `did you mean "true"`},
	{`path == null`, absentHint},

	// Operators.
	{`path =~ "/x"`, `write matches`},
	{`path ~ "/x"`, `write matches`},
	{`path !~ "/x"`, `write not matches`},
	{`path <> "/x"`, `did you mean "!="`},
	{`path eq "/x"`, `did you mean "=="`},
	{`path like "/x%"`, `like is a function: like(path, "/shop/%")`},
	{`path.startsWith("/x")`, `write path startsWith "/x"`},
	{`header("X").endsWith("x")`, `write header("X") endsWith "x"`},
	{`path.lower() == "/x"`, `write lower(path)`},
	{`starts_with(path,"/x")`, `write path startsWith "/x"`},
	{`startsWith(path, "/x")`, `write path startsWith "/x"`},
	{`hasPrefix(path, "/x")`, `write path startsWith "/x"`},
	{`method in ("GET","POST")`, `a list stands in square brackets: in ["a", "b"]`},
	{`method in {"GET","POST"}`, `a list stands in square brackets: in ["a", "b"]`},
	{`method in ("GET")`, `write a list: method in ["GET"]`},
	{`method == ["GET"]`, `write method in ["GET"]`},
	{`"/x" in path`, `write path contains "/x"`},
	{`path and method == "GET"`, `compare it with something: path != ""`},

	// Addresses.
	{`client.ip startsWith "10."`, `write cidr(client.ip, "10.0.0.0/8")`},
	{`client.ip matches "^192\\.168\\."`, `write cidr(client.ip, "192.168.0.0/16")`},
	{`client.ip in ["10.0.0.0/8"]`, `write cidr(client.ip, "10.0.0.0/8")`},
	{`client.ip in ["10.0.0.1", "10.0.0.2"]`, `write client.ip in [ip("10.0.0.1"), ip("10.0.0.2")]`},
	{`client.ip in cidr("10.0.0.0/8")`, `write cidr(client.ip, "10.0.0.0/8")`},
	{`client.ip in "10.0.0.0/8"`, `write cidr(client.ip, "10.0.0.0/8")`},
	{`client.ip in ip("10.0.0.1")`, `write client.ip == ip("10.0.0.1")`},
	{`client.ip == "1.2.3.4"`, `write client.ip == ip("1.2.3.4")`},
	{`"1.2.3.4" == client.ip`, `write client.ip == ip("1.2.3.4")`},
	{`client.ip == "10.0.0.0/8"`, `write cidr(client.ip, "10.0.0.0/8")`},
	{`client.ip != "10.0.0.0/8"`, `write not cidr(client.ip, "10.0.0.0/8")`},
	{`client.ip == host`, `write an address as ip("10.1.2.3")`},
	{`client.ip`, `write cidr(client.ip, "10.0.0.0/8")`},
	{`cidr("10.0.0.0/8")`, `write cidr(client.ip, "10.0.0.0/8")`},
	{`cidr("10.0.0.0/8", peer.ip)`, `write cidr(peer.ip, "10.0.0.0/8")`},
	{`cidr(peer, "10.0.0.0/8")`, `write peer.ip`},
	{`in_list(client, "office")`, `write client.ip`},
	{`in_list("office", client.ip)`, `write in_list(client.ip, "office")`},
	{`client == "1.2.3.4"`, `write client.ip == ip("1.2.3.4")`},
	{`client == ip("1.2.3.4")`, `write client.ip`},
	{`cidr(client.ip, "office")`, `did you mean in_list(client.ip, "office")`},
	{`cidr(client.ip, "shop")`, `write it as "10.1.2.3" or "10.0.0.0/8"; in_list() asks for a list of the configuration`},
	{`cidr(client.ip, "10.0.0/8")`, `did you mean "10.0.0.0/8"`},
	{`cidr(client.ip, "300.0.0.0/8")`, `write it as "10.0.0.0/8"`},

	// Header fields.
	{`header["X-T"] == "a"`, `write header("X-T")`},
	{`header.X == "a"`, `write header("X")`},
	{`header[X] == "a"`, `write header("X")`},
	{`req.headers["X"] == "a"`, `write header("X")`},
	{`request.headers["X"] == "a"`, `write header("X")`},
	{`req.path == "/x"`, `write path`},
	{`request.path == "/x"`, `write path`},
	{`header() == "a"`, `it is header(name) string, as in header("User-Agent")`},
	{`headers("X") == "a"`, `write "a" in headers("X")`},
	{`headers("X") contains "a"`, `write "a" in headers("X")`},
	{`headers("X") != "a"`, `write "a" not in headers("X")`},
	{`headers("X") in ["a"]`, `write "a" in headers("X")`},
	{`headers("X") matches "a"`, `header() is the first value; of all values in alone asks, for one that is equal`},
	{`headers("X")`, `write "a" in headers("X")`},

	// Numbers and truths.
	{`int(header("X")) > 3`, `write int(header("X"), 0): 0 stands for what is no number`},
	{`header("X") > 3`, `write int(header("X"), 0) > 3: 0 stands for what is no number`},
	{`3 < header("X")`, `write int(header("X"), 0) > 3: 0 stands for what is no number`},
	{`header("X") == 3`, `texts stand in quotes: header("X") == "3"`},
	{`header("X") == true`, `texts stand in quotes: header("X") == "true"`},
	{`port == "80"`, `numbers stand without quotes: port == 80`},
	{`"80" != port`, `numbers stand without quotes: port != 80`},
	{`port in ["80"]`, `numbers stand without quotes`},
	{`now.weekday == "Monday"`, `now.weekday is a number: compare it with one`},
	{`session.new == "true"`, `it is true or false by itself: session.new`},
	{`session.new == "false"`, `it is true or false by itself: not session.new`},
	{`session.new != "true"`, `it is true or false by itself: not session.new`},
	{`session == "x"`, `compare one of its fields: id, primary, secondary, new`},
	{`cluster == "main/shop"`, `call it: cluster("main/shop").up`},
	{`path("/x")`, `write path == "/x"`},

	// Patterns.
	{`path matches "(?=x)"`, `write two conditions, joined by and`},
	{`path matches "(?<!x)y"`, `write two conditions: matches ..., and not matches ...`},
	{`path matches "a{1,5000}"`, `write + or *, or ask for the length by len()`},
	{`path matches "(a)\\1"`, `write each case`},
	{`glob("/x", path)`, `write glob(path, "/x")`},
}

func TestHints(t *testing.T) {
	t.Parallel()
	for _, tt := range hinted {
		_, errs := language(t).Compile("r", tt.source)
		if errs == nil {
			t.Errorf("%s compiles", tt.source)
		} else if errs[0].Hint != tt.want {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.source, errs[0].Message, errs[0].Hint, tt.want)
		}
	}
}

// expressionHint is a hint that is an expression.
var expressionHint = regexp.MustCompile(`^write ((?:not )?(?:\w+\(|[\w.]+ (?:==|!=|in|contains|startsWith) |").*?\)?)(?:: 0 stands .*)?$`)

// What a hint tells to write can be written.
func TestHintsCompile(t *testing.T) {
	t.Parallel()
	count := 0
	for _, tt := range hinted {
		m := expressionHint.FindStringSubmatch(tt.want)
		if m == nil {
			continue
		}
		count++
		if _, errs := language(t).Eval(m[1], request()); errs != nil {
			t.Errorf("%s: %s: %v", tt.source, m[1], errs[0])
		}
	}
	if count < 35 {
		t.Errorf("only %d hints are expressions", count)
	}
}

// What mistakes are called where the language's own words say nothing to who writes
// rules.
func TestWordsOfMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ source, want string }{
		{`path matches "\d+"`, `\d is no escape of a text`},
		{`path == "/x`, `a text is not closed`},
		{`path ~ "/x"`, `unexpected "~"`},
		{`header["X"] == ""`, `header is a function`},
		{`path("/x")`, `path is not callable`},
		{`cidr(client.ip, "office")`, `cidr(): "office": it is neither an address nor a network`},
		{`cidr(client.ip, "10.0.0/8")`, `cidr(): "10.0.0/8": "10.0.0" is no address`},
		{`cidr(client.ip, "10.0.0.0/x")`, `cidr(): "10.0.0.0/x": the length of a network is from 0 to 32, not "x"`},
		{`cidr(client.ip, "fe80::1%eth0")`, `cidr(): "fe80::1%eth0": an address with a zone is of this machine only`},
		{`path matches "(?!x)"`, "matches: \"(?!x)\": RE2 has no lookahead: `(?!`"},
		{`path matches "(?<=x)y"`, "matches: \"(?<=x)y\": RE2 has no lookbehind: `(?<=x)y`"},
		{`path matches "a{1,5000}"`, "matches: \"a{1,5000}\": it may be repeated at most 1000 times, those within each other multiplied: `{1,5000}`"},
		{`path matches "(a)\\1"`, "matches: \"(a)\\\\1\": RE2 has no references to groups: `\\1`"},
	} {
		_, errs := language(t).Compile("r", tt.source)
		if errs == nil {
			t.Errorf("%s compiles", tt.source)
		} else if errs[0].Message != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.source, errs[0].Message, tt.want)
		}
	}
}
