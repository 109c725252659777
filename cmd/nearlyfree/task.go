package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/mattn/go-isatty"
)

// task shows progress: by bars on a terminal, by a line for each part elsewhere.
type task struct {
	out    io.Writer
	bars   progress.Writer // nil: there is no terminal
	bar    *progress.Tracker
	name   string // of the part
	prefix string // what is being done to it
	unit   string
	done   int64
	began  time.Time
	quiet  bool // it reports only errors and the unexpected
}

func newTask(out io.Writer) *task {
	t := &task{out: out}
	if f, ok := out.(*os.File); ok && isatty.IsTerminal(f.Fd()) {
		t.bars = progress.NewWriter()
		t.bars.SetOutputWriter(f)
		t.bars.SetUpdateFrequency(200 * time.Millisecond)
		t.bars.SetTrackerLength(30)
		t.bars.Style().Visibility.ETA = true
		go t.bars.Render()
	}
	return t
}

// begin begins a part of the work. A total of 0 means that it is not known.
func (t *task) begin(name string, total int64, unit string) {
	t.endPart()
	t.name, t.unit, t.done, t.began = t.prefix+name, unit, 0, time.Now()
	if t.bars == nil {
		return
	}
	t.bar = &progress.Tracker{Message: t.name, Total: total, AutoStopDisabled: true}
	if total == 0 {
		t.bar.Message += " (of how many is not known)"
	}
	if unit == "byte" {
		t.bar.Units = progress.UnitsBytes
	}
	t.bars.AppendTracker(t.bar)
}

// add reports that so much more is done.
func (t *task) add(n int64) {
	t.done += n
	if t.bar != nil {
		t.bar.Increment(n)
	}
}

// reached reports how much is done in all.
func (t *task) reached(n int64) { t.add(n - t.done) }

// say prints a line next to the bars.
func (t *task) say(format string, args ...any) {
	if t.bars != nil {
		t.bars.Log(format, args...)
		return
	}
	fmt.Fprintf(t.out, format+"\n", args...)
}

// tell reports what the work took, unless it is quiet.
func (t *task) tell(format string, args ...any) {
	if !t.quiet {
		t.say(format, args...)
	}
}

func (t *task) endPart() {
	if t.name == "" {
		return
	}
	if t.bar != nil {
		t.bar.MarkAsDone()
		t.bar = nil
	} else if t.unit == "row" && !t.quiet {
		fmt.Fprintf(t.out, "%s: %s, %s\n", t.name, plural(t.done, t.unit), time.Since(t.began).Round(time.Millisecond))
	}
	t.name = ""
}

// end ends the last part and the bars.
func (t *task) end() {
	t.endPart()
	if t.bars == nil {
		return
	}
	t.bars.Stop()
	for t.bars.IsRenderInProgress() {
		time.Sleep(10 * time.Millisecond)
	}
	t.bars = nil
}
