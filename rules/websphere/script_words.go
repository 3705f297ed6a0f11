package websphere

import "strings"

// arguments are the words that a command is given: -name value … . In Jython they
// stand in parentheses, as one text or a list of texts; in Jacl in braces or
// brackets, or bare.
func arguments(text string) ([]string, bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "(") {
		return wordsWithin(trimList(text))
	}
	n := enclosed(text)
	if n != len(text) {
		return nil, false
	}
	return jython(strings.TrimSpace(text[1 : n-1]))
}

// trimList takes the brackets or braces of a list away: {-a b}, [list -a b].
func trimList(text string) string {
	if text == "" || text[0] != '{' && text[0] != '[' || enclosed(text) != len(text) {
		return text
	}
	text = strings.TrimSpace(text[1 : len(text)-1])
	return strings.TrimPrefix(text, "list ")
}

// jython reads the arguments of a call: texts, or one list of texts. A text that
// is a list in brackets is that list's words.
func jython(text string) ([]string, bool) {
	list := strings.HasPrefix(text, "[") && enclosed(text) == len(text)
	if list {
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	texts, ok := literals(text)
	if !ok || list {
		return texts, ok
	}
	var words []string
	for _, t := range texts {
		t = strings.TrimSpace(t)
		if !strings.HasPrefix(t, "[") && !strings.HasPrefix(t, "-") {
			words = append(words, t)
			continue
		}
		some, ok := wordsWithin(trimList(t))
		if !ok {
			return nil, false
		}
		words = append(words, some...)
	}
	return words, true
}

// literals reads texts in quotes with commas between them.
func literals(text string) (all []string, ok bool) {
	for text != "" {
		if text[0] != '\'' && text[0] != '"' {
			return nil, false
		}
		n := quotedSize(text)
		if n == 0 {
			return nil, false
		}
		all = append(all, unquoted(text[:n]))
		text = strings.TrimSpace(text[n:])
		if text == "" {
			return all, true
		}
		rest, more := strings.CutPrefix(text, ",")
		if !more {
			return nil, false
		}
		text = strings.TrimSpace(rest)
	}
	return all, true
}

// unquoted is a text in quotes without them, and without the backslashes that
// keep a character from meaning something.
func unquoted(text string) string {
	marks := 1
	if tripled := strings.Repeat(text[:1], 3); len(text) >= 6 && strings.HasPrefix(text, tripled) {
		marks = 3
	}
	return unescaped(text[marks : len(text)-marks])
}

// unescaped takes one backslash from each pair of it and a character. At a
// line's end it joins the lines.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case 'n', 't', '\n':
			b.WriteByte(' ')
		case '\r':
		case '\\', '\'', '"', '$', '[', ']', '{', '}':
			b.WriteByte(text[i])
		default:
			b.WriteString(text[i-1 : i+1])
		}
	}
	return b.String()
}

// wordsWithin cuts a list into words at its blanks. A word in quotes or braces is
// what stands in them.
func wordsWithin(text string) (words []string, ok bool) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		for strings.HasPrefix(text, "\\\n") || strings.HasPrefix(text, "\\\r\n") {
			text = strings.TrimLeft(text[1:], " \t\r\n")
		}
		if text == "" {
			return words, true
		}
		word, size, ok := firstWord(text)
		if !ok {
			return nil, false
		}
		words = append(words, word)
		text = text[size:]
	}
}

func firstWord(text string) (word string, size int, ok bool) {
	switch text[0] {
	case '\'', '"':
		n := quotedSize(text)
		if n == 0 || n < len(text) && !strings.ContainsRune(" \t\r\n", rune(text[n])) {
			return "", 0, false
		}
		return unquoted(text[:n]), n, true
	case '{', '[':
		n := enclosed(text)
		if n == 0 {
			return "", 0, false
		}
		return strings.TrimSpace(text[1 : n-1]), n, true
	}
	if n := strings.IndexAny(text, " \t\r\n"); n >= 0 {
		return text[:n], n, true
	}
	return text, len(text), true
}
