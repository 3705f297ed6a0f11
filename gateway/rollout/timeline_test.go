package rollout

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weirkeep/gateway/unit"
)

var rewrite = flag.Bool("rewrite", false, "write what happens in the timelines of testdata into them")

// Each file of testdata tells roll-outs: what happens to the origins and, indented
// below, what the roll-out makes of it. It steps once a minute. The indented lines
// are written by -rewrite and read by people; the words are those of [telling.do].
// An origin is shown as its label, if it takes everybody; with its stage in
// brackets, if not.
func TestTimelines(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no timelines", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := tell(t, string(want))
			if got == string(want) {
				return
			}
			if !*rewrite {
				t.Error(firstDifference(got, string(want)))
			} else if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Error(err)
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	i := 0
	for i < min(len(g), len(w))-1 && g[i] == w[i] {
		i++
	}
	return fmt.Sprintf("line %d: got %q, want %q", i+1, g[i], w[i])
}

// A telling is one roll-out of a file.
type telling struct {
	t     *testing.T
	out   *strings.Builder
	world world
	r     *Rollout
	now   time.Time
	shown string // the last state that was written
}

// tell does what the script says and returns it with what came of it. A blank line
// begins another roll-out.
func tell(t *testing.T, script string) string {
	var out strings.Builder
	one := &telling{t: t, out: &out, world: world{}, now: epoch}
	for line := range strings.Lines(script) {
		switch {
		case strings.HasPrefix(line, " "):
			continue // what came of it last time
		case line == "\n":
			one = &telling{t: t, out: &out, world: world{}, now: epoch}
		case line[0] != '#':
			words := strings.Fields(line)
			one.until(words[0])
			out.WriteString(line)
			one.do(words[1], words[2:])
			continue
		}
		out.WriteString(line)
	}
	return out.String()
}

// until lets time pass, with a step at every minute.
func (l *telling) until(at string) {
	d, err := time.ParseDuration(at)
	if err != nil {
		l.t.Fatal(err)
	}
	for l.now.Before(epoch.Add(d)) {
		l.now = l.now.Add(time.Minute)
		l.r.Step(l.now, l.world)
		l.show()
	}
}

func (l *telling) write(format string, args ...any) {
	fmt.Fprintf(l.out, "          %-7s %s\n", unit.Duration(l.now.Sub(epoch)), fmt.Sprintf(format, args...))
}

// show writes how things stand if that has changed.
func (l *telling) show() {
	var all []string
	overlay := l.r.Overlay()
	for _, m := range l.r.s.Members {
		w := overlay.Origins[m.Name]
		text := m.Name + " " + w.Label
		if w.State != Serving {
			text += fmt.Sprintf(" [%s]", m.Stage)
		}
		all = append(all, text)
	}
	text := fmt.Sprintf("%s; active %s", strings.Join(all, ", "), strings.Join(overlay.Active, " and "))
	if !l.r.Running() {
		text = string(l.r.s.Phase) + ": " + text
	}
	if text != l.shown {
		l.write("%s", text)
	}
	l.shown = text
}

// do lets one thing happen.
func (l *telling) do(what string, words []string) {
	switch what {
	case "roll-out":
		l.begin(words)
	case "has": // a has 3 sessions 1 flying
		l.has(words)
	case "down", "up":
		for _, name := range words {
			l.world[name].down = what == "down"
		}
	case "tells":
		for _, name := range words[1:] {
			l.world[name].tells = words[0]
		}
	case "confirm":
		l.refusal(l.r.Confirm(l.world, words...))
	case "cancel":
		left, err := l.r.Cancel(l.now, l.world)
		l.refusal(err)
		l.write("left: %v old, %v new, %v unsure", left.Old, left.New, left.Unsure)
		l.show()
	case "restart":
		l.r = restart(l.t, l.r)
		l.show()
	case "origins":
		l.r.Settle(l.origins(words), l.now)
		l.show()
	case "status":
		l.status()
	case "look":
	default:
		l.t.Fatalf("nothing is known of %q", what)
	}
}

// begin reads "grouped 2 30m a b c".
func (l *telling) begin(words []string) {
	o := shop(Strategy(words[0]))
	o.GroupSize, _ = strconv.Atoi(words[1])
	if err := o.Drain.UnmarshalText([]byte(words[2])); err != nil {
		l.t.Fatal(err)
	}
	r, err := New(o, l.origins(words[3:]), l.now)
	if err != nil {
		l.t.Fatal(err)
	}
	l.r = r
	l.show()
}

// origins reads "a b@2.0 other/c".
func (l *telling) origins(words []string) (all []Origin) {
	for _, word := range words {
		o := Origin{Cluster: "app", Label: "1.0"}
		path, label, labelled := strings.Cut(word, "@")
		if labelled {
			o.Label = label
		}
		o.Name = path
		if cluster, name, ok := strings.Cut(path, "/"); ok {
			o.Cluster, o.Name = cluster, name
		}
		if l.world[o.Name] == nil {
			l.world[o.Name] = &server{}
		}
		all = append(all, o)
	}
	return all
}

// has reads "a 3 sessions 1 flying".
func (l *telling) has(words []string) {
	for counts := range slices.Chunk(words[1:], 2) {
		n, err := strconv.Atoi(counts[0])
		if err != nil {
			l.t.Fatal(err)
		}
		switch counts[1] {
		case "sessions":
			l.world[words[0]].sessions = n
		case "flying":
			l.world[words[0]].inFlight = n
		}
	}
}

func (l *telling) refusal(err error) {
	if err != nil {
		l.write("refused: %v", err)
	}
}

func (l *telling) status() {
	s := l.r.Status(l.now, l.world)
	text := fmt.Sprintf("%s, batch %d of %d, %d of %d done", s.Phase, s.Batch, s.Batches, s.Done, s.Total)
	if !s.Expected.IsZero() {
		text += fmt.Sprintf(", over by %s going by %s", unit.Duration(s.Expected.Sub(epoch)), s.Basis)
	}
	if s.Held != "" {
		text += ", held: " + s.Held
	}
	l.write("%s", text)
	for _, o := range s.Origins {
		if o.Waits != "" {
			l.write("  %s waits %s", o.Name, o.Waits)
		}
	}
}
