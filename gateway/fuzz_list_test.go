package gateway

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// make fuzz runs every fuzz target there is, and no other.
func TestMakeFuzzKnowsEveryTarget(t *testing.T) {
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	listed := regexp.MustCompile(`[a-z/]+:Fuzz\w+`).FindAllString(string(makefile), -1)
	slices.Sort(listed)
	if there := testsNamed(t, "Fuzz"); !slices.Equal(listed, there) {
		t.Errorf("make fuzz runs\n%v\nwant\n%v", strings.Join(listed, "\n"), strings.Join(there, "\n"))
	}
}

// testsNamed are the project's tests whose names begin so, as folder:name, sorted.
func testsNamed(t *testing.T, kind string) (names []string) {
	t.Helper()
	root := os.DirFS("..")
	declaration := regexp.MustCompile(`(?m)^func (` + kind + `\w+)`)
	err := fs.WalkDir(root, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, file)
		for _, m := range declaration.FindAllSubmatch(text, -1) {
			names = append(names, path.Dir(file)+":"+string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names
}
