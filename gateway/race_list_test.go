package gateway

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What make race leaves out is there: a test of a name that nobody has any more is
// raced again, or was forgotten.
func TestMakeRaceLeavesOutWhatThereIs(t *testing.T) {
	tests, scripts, _ := strings.Cut(makeVariable(t, "UNRACED"), "|^TestScripts$/")
	raced := strings.Fields(strings.ReplaceAll(makeVariable(t, "RACY"), "./", ""))
	var there []string
	for _, test := range testsNamed(t, "Test") {
		folder, name, _ := strings.Cut(test, ":")
		if slices.Contains(raced, folder) {
			there = append(there, name)
		}
	}
	expectEachFindsOne(t, strings.Split(tests, "|"), there)
	files, _ := filepath.Glob("../cmd/weirkeep/testdata/script/*.txtar")
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".txtar")
	}
	scripts = strings.TrimSuffix(strings.TrimPrefix(scripts, "^("), ")$")
	for script := range strings.SplitSeq(scripts, "|") {
		expectEachFindsOne(t, []string{"^" + script + "$"}, files)
	}
}

// expectEachFindsOne fails the test unless each pattern finds one of the names.
func expectEachFindsOne(t *testing.T, patterns, names []string) {
	t.Helper()
	for _, pattern := range patterns {
		if !slices.ContainsFunc(names, regexp.MustCompile(pattern).MatchString) {
			t.Errorf("make race leaves out %s, which is none of %d names", pattern, len(names))
		}
	}
}

// makeVariable is what the Makefile says of a variable.
func makeVariable(t *testing.T, name string) string {
	t.Helper()
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + name + ` *:= (.*)$`).FindSubmatch(makefile)
	if found == nil {
		t.Fatalf("the Makefile has no %s", name)
	}
	return strings.ReplaceAll(string(found[1]), "$$", "$")
}
