package websphere

import (
	"regexp"
	"slices"
	"strings"
)

// readScript reads the commands that make routing rules out of a script for
// wsadmin, Jacl or Jython. It runs nothing: what a command is given must be
// written in it.
func readScript(text string) *reading {
	r := &reading{}
	for at, line := 0, 1; at < len(text) && len(r.drafts) <= maxRules; {
		size := statementSize(text[at:])
		r.statement(text[at:at+size], line)
		line += strings.Count(text[at:at+size], "\n")
		at += size
	}
	return r
}

// statementSize is the length of a statement: up to a line's end that is not
// inside brackets or quotes, and has no backslash before it. Without such an end
// it is one line, so that an odd quote does not take the rest of the file.
func statementSize(text string) int {
	line := strings.IndexByte(text, '\n') + 1
	if line == 0 {
		line = len(text)
	}
	if !isCommand(text[:line]) {
		return line
	}
	for i := 0; i < len(text); {
		switch {
		case text[i] == '\n':
			return i + 1
		case text[i] == '\\' && strings.HasPrefix(text[i:], "\\\r\n"):
			i += 3
		case text[i] == '\\':
			i += 2
		case strings.IndexByte(openers, text[i]) >= 0:
			n := enclosed(text[i:])
			if n == 0 {
				return line
			}
			i += n
		default:
			i++
		}
	}
	return len(text)
}

// openers begin what ends with a mark of their own.
const openers = `'"([{`

var closers = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// maxEnclosed bounds the nesting of brackets and quotes.
const maxEnclosed = 50

// enclosed is the length of what an opener begins, its closer included; 0: it
// does not end.
func enclosed(text string) int { return enclosedAt(text, 0) }

func enclosedAt(text string, depth int) int {
	if depth > maxEnclosed {
		return 0
	}
	if text[0] == '\'' || text[0] == '"' {
		return quotedSize(text)
	}
	for i := 1; i < len(text); {
		switch {
		case text[i] == closers[text[0]]:
			return i + 1
		case text[i] == '\\':
			i += 2
		case strings.IndexByte(openers, text[i]) >= 0:
			n := enclosedAt(text[i:], depth+1)
			if n == 0 {
				return 0
			}
			i += n
		default:
			i++
		}
	}
	return 0
}

// quotedSize is the length of a text in quotes of either kind, tripled too.
func quotedSize(text string) int {
	mark := text[:1]
	if tripled := strings.Repeat(mark, 3); strings.HasPrefix(text, tripled) {
		mark = tripled
	}
	for i := len(mark); i < len(text); i++ {
		if text[i] == '\\' {
			i++
			continue
		}
		if strings.HasPrefix(text[i:], mark) {
			return i + len(mark)
		}
	}
	return 0
}

// command finds AdminTask with its command, in both languages.
var command = regexp.MustCompile(`^\s*(?:\w+\s*=\s*|set\s+\w+\s+\[\s*)?\$?AdminTask(?:\.|\s+)(\w+)\s*`)

// harmless are lines of such scripts that say nothing of rules.
var harmless = regexp.MustCompile(`^\s*(?:$|#|//|import\s|from\s|puts\s|print\b|(?:\$?AdminConfig|\$?AdminControl|\$?AdminNodeManagement|\$?AdminApp)[. ]\s*(?:save|reset|list|sync\w*|queryChanges)\b|wsadmin>\s*$)`)

func isCommand(line string) bool { return command.MatchString(prompted(line)) }

// prompted is a line without the prompt it was copied with.
func prompted(line string) string {
	rest, found := strings.CutPrefix(strings.TrimLeft(line, " \t"), "wsadmin>")
	if found {
		return rest
	}
	return line
}

// statement reads one. Text that is no command is noted, for it may change which
// commands run.
func (r *reading) statement(text string, line int) {
	text = strings.TrimRight(prompted(text), " \t\r\n;")
	m := command.FindStringSubmatchIndex(text)
	if m == nil {
		if !harmless.MatchString(text) {
			r.unread(line, 1, "this line is no command about routing rules, and was not read: "+shortened(text))
		}
		return
	}
	given := text[m[1]:]
	if strings.Contains(text[:m[0]+strings.Index(text, "AdminTask")], "[") {
		given = strings.TrimSuffix(given, "]") // of set x [$AdminTask …]
	}
	words, ok := arguments(given)
	d := &draft{line: line, column: 1, original: strings.TrimSpace(text)}
	if !ok {
		d.garbled = true
		d.faults = append(d.faults, &fault{code: codeRule, message: "the command's arguments cannot be read: they must be written in it, not put together", at: -1})
	}
	r.run(strings.ToLower(text[m[2]:m[3]]), options(words), d)
}

func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

// options are the -name value pairs of a command. One without value is true; one
// without name has an empty one.
func options(words []string) (all []field) {
	for i := 0; i < len(words); i++ {
		name, named := optionName(words[i])
		switch {
		case !named:
			all = append(all, field{"", words[i]})
		case i+1 == len(words) || isOption(words[i+1]):
			all = append(all, field{name, "true"})
		default:
			all = append(all, field{name, words[i+1]})
			i++
		}
	}
	return all
}

func optionName(word string) (string, bool) {
	if !isOption(word) {
		return "", false
	}
	return word[1:], true
}

func isOption(word string) bool {
	return len(word) > 1 && word[0] == '-' && (word[1] >= 'a' && word[1] <= 'z' || word[1] >= 'A' && word[1] <= 'Z')
}

// run does what a command does to the rules read so far.
func (r *reading) run(name string, said []field, d *draft) {
	switch {
	case strings.HasPrefix(name, "list"), strings.HasPrefix(name, "get"), strings.HasPrefix(name, "show"):
	case !strings.Contains(name, "routingrule") && !strings.Contains(name, "routingprop"):
		r.unread(d.line, 1, "the command "+name+" is not about routing rules, and was not read")
	case strings.Contains(name, "propert"):
		r.properties(said, d)
	case strings.HasPrefix(name, "add"), strings.HasPrefix(name, "create"):
		for _, o := range said {
			d.option(o)
		}
		r.drafts = append(r.drafts, d)
	case strings.HasPrefix(name, "change"), strings.HasPrefix(name, "modify"), strings.HasPrefix(name, "update"), strings.HasPrefix(name, "set"):
		r.change(said, d)
	case strings.HasPrefix(name, "remove"), strings.HasPrefix(name, "delete"):
		r.remove(said, d)
	default:
		r.unread(d.line, 1, "the command "+name+" is not known, and was not read")
	}
}

// properties reads a command that sets a property, by its name or by a pair of
// options.
func (r *reading) properties(said []field, d *draft) {
	name, value := "", ""
	for _, o := range said {
		switch strings.ToLower(o.name) {
		case "propertyname", "property", "name":
			name = o.value
		case "propertyvalue", "value":
			value = o.value
		case "nodename", "servername", "webserver", "webservername", "node", "server", "odrname", "odr", "cluster", "clustername":
		default:
			if !r.property(o.name, o.value) {
				r.unread(d.line, 1, "the property "+o.name+" is not known, and was not read")
			}
		}
	}
	if name != "" && !r.property(name, value) {
		r.unread(d.line, 1, "the property "+name+" is not known, and was not read")
	}
}

// which finds the rule that a command is about, by its name or else its order.
func (r *reading) which(d *draft) int {
	for _, by := range []string{"name", "order"} {
		if wanted, said := d.get(by); said {
			return slices.IndexFunc(r.drafts, func(other *draft) bool {
				has, _ := other.get(by)
				return has == wanted
			})
		}
	}
	return -1
}

// change replaces what a command says anew of a rule.
func (r *reading) change(said []field, d *draft) {
	for _, o := range said {
		if strings.EqualFold(o.name, "newOrder") {
			continue
		}
		d.option(o)
	}
	i := r.which(d)
	if i < 0 {
		r.lost(d, "changes")
		return
	}
	old := r.drafts[i]
	for _, f := range d.fields {
		if f.name != "scope" { // said when it was added
			old.set(f.name, f.value)
		}
	}
	for _, o := range said {
		if strings.EqualFold(o.name, "newOrder") {
			old.set("order", strings.TrimSpace(o.value))
		}
	}
	old.faults = append(old.faults, d.faults...)
	old.original += "\n" + d.original
}

func (r *reading) remove(said []field, d *draft) {
	for _, o := range said {
		d.option(o)
	}
	i := r.which(d)
	if i < 0 {
		r.lost(d, "removes")
		return
	}
	r.drafts = slices.Delete(r.drafts, i, i+1)
}

// lost notes a command about a rule that no command before it has made.
func (r *reading) lost(d *draft, does string) {
	r.findings = append(r.findings, Finding{Line: d.line, Column: 1, Code: codeRule,
		Message: "the command " + does + " a rule that the file does not add before it, and was not carried out",
		Hint:    "export the rules that are in force, rather than the commands of one change"})
}
