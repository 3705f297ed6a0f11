package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// elsewhere are codes that other packages report through Config.At.
var elsewhere = []string{"E210", "E220", "E230", "E240", "E241", "E301", "E302", "E307", "E309", "E312", "E313", "E314", "E320", "E321", "E330", "E401", "E402", "E403", "E404", "E405", "E406", "E407", "E408", "E510", "E511", "E512", "E513", "E601", "E602", "E801", "E802", "E803", "E804", "E805", "E806", "E807", "E808", "W310", "W312", "W350", "W351", "W352", "W353", "W354", "W355", "W356", "W357", "W358", "W359", "W360", "W362", "W375", "W410", "W411", "W603", "W604", "W810", "W811", "W812"}

var codeInSource = regexp.MustCompile(`"([EW]\d{3})"`)

// usedCodes are the codes in the sources of this package.
func usedCodes(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var used []string
	for _, file := range files {
		if strings.HasPrefix(file, "codes") || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range codeInSource.FindAllStringSubmatch(string(text), -1) {
			used = append(used, m[1])
		}
	}
	return used
}

func TestEveryCodeIsExplained(t *testing.T) {
	used := append(usedCodes(t), elsewhere...)
	for _, code := range used {
		if _, ok := Explain(code); !ok {
			t.Errorf("%s is not in Codes", code)
		}
	}
	for _, c := range Codes {
		if !slices.Contains(used, c.Code) {
			t.Errorf("%s is in Codes and used nowhere", c.Code)
		}
		if c.Title == "" || c.Cause == "" || c.Example == "" || c.Fix == "" {
			t.Errorf("%s lacks a part: %+v", c.Code, c)
		}
	}
	if !slices.IsSortedFunc(Codes, func(a, b Code) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("Codes are not in order")
	}
}

// TestEveryCodeHasABadFile: each code is brought about by a file of testdata.
func TestEveryCodeHasABadFile(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.want")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, code := range usedCodes(t) {
		if !strings.Contains(all.String(), " "+code+": ") {
			t.Errorf("no file of testdata/bad brings about %s", code)
		}
	}
}
