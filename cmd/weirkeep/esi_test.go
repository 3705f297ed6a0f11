package main

import (
	"strings"
	"testing"

	"weirkeep/gateway/esi"
)

// Each form that a hint shows is one, and uses the element that it is about.
func TestFormsOfElementsAreGood(t *testing.T) {
	for name, form := range esiForms {
		r, err := checkTemplate(name, []byte(form))
		if err != nil || len(r.Problems) > 0 || !strings.Contains(form, "<esi:"+name) {
			t.Errorf("%s: %s has problems %v, %v", name, form, r.Problems, err)
		}
	}
}

// Whatever is wrong, there is something to write instead.
func TestEveryProblemHasAHint(t *testing.T) {
	for _, k := range esi.Kinds() {
		for _, element := range []string{"", "include", "bogus"} {
			if hint := esiHint(esi.Problem{Kind: k, Element: element}); hint == "" || strings.HasSuffix(hint, " ") {
				t.Errorf("%s in %q has the hint %q", k, element, hint)
			}
		}
	}
}

func TestPlacesInTexts(t *testing.T) {
	text := []byte("ab\nä\xff\r\n\nx")
	for offset, want := range map[int]textPlace{
		0: {0, 1, 1}, 1: {1, 1, 2}, 2: {2, 1, 3}, 3: {3, 2, 1}, 5: {5, 2, 2}, 6: {6, 2, 3}, 8: {8, 3, 1}, 9: {9, 4, 1}, 10: {10, 4, 2}, 99: {10, 4, 2},
	} {
		at := textPlace{line: 1, column: 1}
		if at.move(text, offset); at != want {
			t.Errorf("byte %d is at %+v, want %+v", offset, at, want)
		}
	}
}
