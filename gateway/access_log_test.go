package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"weirkeep/gateway/metrics"
)

// openLog opens a log that the test closes.
func openLog(t testing.TB, o accessOptions) *accessLog {
	t.Helper()
	if o.Format == "" {
		o.Format = "json"
	}
	l, err := openAccessLog(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.close() })
	return l
}

// record puts one exchange with the target, if there is room.
func record(l *accessLog, target string) bool {
	r := l.take()
	if r == nil {
		return false
	}
	r.cloneText(accessTarget, []byte(target))
	l.put(r)
	return true
}

// targets are those of a log in json, in its order.
func targets(t *testing.T, log string) (out []string) {
	t.Helper()
	for line := range strings.Lines(log) {
		_, rest, _ := strings.Cut(line, `"target":"`)
		target, _, ok := strings.Cut(rest, `"`)
		if !ok || !strings.HasSuffix(line, "}\n") {
			t.Fatalf("torn line %q", line)
		}
		out = append(out, target)
	}
	return out
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// gatedWriter takes writes only while its gate is open.
type gatedWriter struct {
	gate chan struct{} // a value lets one write through; closed: all
	bytes.Buffer
}

func (w *gatedWriter) Write(p []byte) (int, error) {
	<-w.gate
	return w.Buffer.Write(p)
}

func TestCloseWritesAllThatWasPut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	var m metrics.AccessLog
	l := openLog(t, accessOptions{Path: path, Metrics: &m})
	var want []string
	for i := range 1500 {
		want = append(want, fmt.Sprint(i))
		record(l, want[i])
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if got := targets(t, readFile(t, path)); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d lines, want 1500 in order", len(got))
	}
	if m.Written.Load() != 1500 || m.Lost.Load() != 0 {
		t.Errorf("written %d, lost %d; want 1500, 0", m.Written.Load(), m.Lost.Load())
	}
	if err := l.close(); err != nil {
		t.Errorf("a second close: %v", err)
	}
}

func TestWhereTheLogGoes(t *testing.T) {
	var out, err bytes.Buffer
	for _, tt := range []struct {
		path, format string
		out, err     int // lines
	}{
		{"stdout", "json", 1, 0},
		{"stderr", "combined", 0, 1},
		{"stderr", "off", 0, 0},
	} {
		out.Reset()
		err.Reset()
		l := openLog(t, accessOptions{Path: tt.path, Format: tt.format, Stdout: &out, Stderr: &err})
		if recorded := record(l, "/"); recorded != (tt.format != "off") {
			t.Errorf("%s: recorded is %v", tt.format, recorded)
		}
		if e := errors.Join(l.reopen(), l.close()); e != nil {
			t.Errorf("%s: %v", tt.path, e)
		}
		if o, e := strings.Count(out.String(), "\n"), strings.Count(err.String(), "\n"); o != tt.out || e != tt.err {
			t.Errorf("%s, %s: %d lines on stdout, %d on stderr", tt.path, tt.format, o, e)
		}
		if l.lost() != 0 {
			t.Errorf("%s, %s: lost %d", tt.path, tt.format, l.lost())
		}
	}
}

func TestFileThatCannotBeOpenedIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "access.log")
	if _, err := openAccessLog(accessOptions{Path: path, Format: "json"}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error = %v, want one that names the path", err)
	}
}

func TestFullLogDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told bytes.Buffer
		w := &gatedWriter{gate: make(chan struct{})}
		var m metrics.AccessLog
		l := openLog(t, accessOptions{
			Path: "stderr", Stderr: w, OnFull: "drop", Records: 4, Metrics: &m,
			Logger: slog.New(slog.NewTextHandler(&told, nil)),
		})
		record(l, "first")
		time.Sleep(accessGather) // fake time: the writer hangs in its write
		synctest.Wait()
		put := 0
		for range 10 {
			if record(l, "more") {
				put++
			}
		}
		if put != 4 || l.lost() != 6 || m.Lost.Load() != 6 {
			t.Errorf("put %d, lost %d and %d in metrics; want 4, 6, 6", put, l.lost(), m.Lost.Load())
		}
		close(w.gate)
		l.close()
		if got := targets(t, w.String()); fmt.Sprint(got) != "[first more more more more]" {
			t.Errorf("written: %v", got)
		}
		if !strings.Contains(told.String(), "path=stderr lost=6") {
			t.Errorf("told: %s", &told)
		}
	})
}

func TestFullLogBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &gatedWriter{gate: make(chan struct{})}
		l := openLog(t, accessOptions{Path: "stderr", Stderr: w, OnFull: "block", Records: 4})
		var done atomic.Int32
		for i := range 20 {
			go func() {
				record(l, fmt.Sprint(i))
				done.Add(1)
			}()
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := done.Load(); n != 8 { // four being written, four waiting for it
			t.Errorf("%d records went in while the disk hung, want 8", n)
		}
		close(w.gate)
		synctest.Wait()
		if n := done.Load(); n != 20 {
			t.Errorf("%d records went in, want 20", n)
		}
		l.close()
		if got := targets(t, w.String()); len(got) != 20 || l.lost() != 0 {
			t.Errorf("%d written, %d lost; want 20, 0", len(got), l.lost())
		}
	})
}

func TestCloseLetsGoOfThoseThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := openLog(t, accessOptions{Path: "stderr", Stderr: io.Discard, OnFull: "block", Records: 1})
		held := l.take()
		waited := make(chan *accessRecord)
		go func() { waited <- l.take() }()
		synctest.Wait()
		l.close()
		if r := <-waited; r != nil {
			t.Error("a closed log gave a record")
		}
		l.put(held)
		if l.take() != nil || l.lost() != 3 {
			t.Errorf("lost %d, want 3: one waited, one was put and one taken after close", l.lost())
		}
	})
}

func TestRecordsGatherIntoOneWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &gatedWriter{gate: make(chan struct{}, 1)}
		l := openLog(t, accessOptions{Path: "stderr", Stderr: w})
		for range 100 {
			record(l, "/")
		}
		w.gate <- struct{}{}
		time.Sleep(accessGather)
		synctest.Wait()
		if n := len(targets(t, w.String())); n != 100 {
			t.Errorf("one write had %d records, want 100", n)
		}
	})
}

// openFiles are the files of this process whose names begin with path.
func openFiles(t *testing.T, path string) (open []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(links) == 0 {
		t.Fatalf("no descriptors: %v", err)
	}
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil && strings.HasPrefix(name, path) {
			open = append(open, name)
		}
	}
	return open
}

func TestReopenFollowsRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "access.log")
	l := openLog(t, accessOptions{Path: path})
	record(l, "/before")
	for l.metrics.Written.Load() == 0 {
		runtime.Gosched()
	}
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := l.reopen(); err != nil {
		t.Fatal(err)
	}
	record(l, "/after")
	l.close()
	if before, after := targets(t, readFile(t, path+".1")), targets(t, readFile(t, path)); fmt.Sprint(before, after) != "[/before] [/after]" {
		t.Errorf("old file %v, new file %v", before, after)
	}
	if open := openFiles(t, path); len(open) != 0 {
		t.Errorf("still open: %v", open)
	}
	if err := l.reopen(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("reopen after close: %v", err)
	}
}

func TestFailedReopenKeepsTheFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	os.Mkdir(dir, 0o700)
	l := openLog(t, accessOptions{Path: filepath.Join(dir, "access.log")})
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	if err := l.reopen(); err == nil {
		t.Error("reopened in a folder that is gone")
	}
	record(l, "/kept")
	l.close()
	if got := targets(t, readFile(t, filepath.Join(dir+".old", "access.log"))); fmt.Sprint(got) != "[/kept]" {
		t.Errorf("written: %v", got)
	}
}

// fullDisk takes the first bytes and then fails, until it is freed.
type fullDisk struct {
	room int
	bytes.Buffer
}

var errNoSpace = errors.New("no space left")

func (d *fullDisk) Write(p []byte) (int, error) {
	n, _ := d.Buffer.Write(p[:min(len(p), d.room)])
	d.room -= n
	if n < len(p) {
		return n, errNoSpace
	}
	return n, nil
}

func TestFailingDiskOnlyLosesRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told bytes.Buffer
		disk := &fullDisk{room: 100} // less than a line
		l := openLog(t, accessOptions{Path: "stderr", Stderr: disk, Logger: slog.New(slog.NewTextHandler(&told, nil))})
		settle := func() { time.Sleep(2 * accessGather); synctest.Wait() }
		record(l, "/torn")
		record(l, "/lost")
		settle()
		record(l, "/lost-too")
		settle()
		if l.lost() != 3 {
			t.Errorf("lost %d, want 3", l.lost())
		}
		disk.room = 1 << 20
		record(l, "/fine")
		l.close()
		torn, rest, _ := strings.Cut(disk.String(), "\n")
		if len(torn) != 100 || fmt.Sprint(targets(t, rest)) != "[/fine]" {
			t.Errorf("on the disk:\n%s", disk)
		}
		if !strings.Contains(told.String(), errNoSpace.Error()) || l.metrics.Written.Load() != 1 {
			t.Errorf("written %d, told: %s", l.metrics.Written.Load(), &told)
		}
	})
}

func TestLossesAreToldOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told bytes.Buffer
		l := openLog(t, accessOptions{Path: "stderr", Stderr: &fullDisk{}, Logger: slog.New(slog.NewTextHandler(&told, nil))})
		for range 20 {
			r := l.take()
			r.time = time.Now()
			l.put(r)
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		l.close()
		if n := strings.Count(told.String(), "\n"); n != 3 {
			t.Errorf("told %d times in two seconds and at the end, want 3:\n%s", n, &told)
		}
	})
}

// Budget: recording an exchange costs no allocation, so that the access log is
// never a reason to have none.
func TestRecordingAllocs(t *testing.T) {
	l := openLog(t, accessOptions{Path: "stderr", Stderr: io.Discard, OnFull: "block"})
	target, agent := []byte("/shop/cart?id=7"), bytes.Repeat([]byte("agent "), 30)
	one := func() {
		r := l.take()
		r.status = 200
		r.cloneText(accessTarget, target)
		r.cloneText(accessUserAgent, agent)
		l.put(r)
	}
	for range 2 * accessRecords {
		one()
	}
	if n := testing.AllocsPerRun(1000, one); n != 0 {
		t.Errorf("recording allocates %v times, want 0", n)
	}
}

func TestOversizedTextsGiveTheirMemoryBack(t *testing.T) {
	var r accessRecord
	r.cloneText(accessTarget, make([]byte, 1<<20))
	if n := len(r.text(accessTarget)); n != accessLimits[accessTarget] || !r.cut {
		t.Errorf("kept %d bytes, cut is %v", n, r.cut)
	}
	r.reset()
	if cap(r.buf) > accessBuffer || r.cut || len(r.text(accessTarget)) != 0 {
		t.Errorf("a free record holds %d bytes", cap(r.buf))
	}
}

// Every record that was put is written once, whatever closes, reopens and puts
// at the same time.
func TestHammerAccessLog(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, onFull := range []string{"drop", "block"} {
		path := filepath.Join(t.TempDir(), onFull)
		l := openLog(t, accessOptions{Path: path, OnFull: onFull, Records: 64})
		var put atomic.Int64
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 2000 {
					if record(l, fmt.Sprint(g, ".", i)) {
						put.Add(1)
					}
				}
			})
		}
		wg.Go(func() {
			for range 20 {
				if err := l.reopen(); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Wait()
		l.close()
		checkHammered(t, onFull, l, put.Load(), targets(t, readFile(t, path)))
	}
}

func checkHammered(t *testing.T, onFull string, l *accessLog, put int64, written []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, target := range written {
		if seen[target] {
			t.Errorf("%s: %s written twice", onFull, target)
		}
		seen[target] = true
	}
	if int64(len(written)) != put || put+int64(l.lost()) != 16000 {
		t.Errorf("%s: put %d, written %d, lost %d of 16000", onFull, put, len(written), l.lost())
	}
	if onFull == "block" && l.lost() != 0 {
		t.Errorf("lost %d under block", l.lost())
	}
}

// BenchmarkRecord has a budget of 1.5 µs/op and 0 allocs/op, rendering included:
// it goes as fast as the writer.
func BenchmarkRecord(b *testing.B) {
	l := openLog(b, accessOptions{Path: "stderr", Stderr: io.Discard, OnFull: "block"})
	target := []byte("/shop/cart?id=7")
	b.ReportAllocs()
	for b.Loop() {
		if r := l.take(); r != nil {
			r.cloneText(accessTarget, target)
			l.put(r)
		}
	}
}
