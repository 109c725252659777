package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/peterh/liner"
)

// shell is the runner on a terminal.
type shell struct {
	*runner
	line  *liner.State
	asked []string // the lines of the statement that is typed
	names names    // for completion
}

// loop reads statements and runs them until the end of the input.
func (s *shell) loop(ctx context.Context) error {
	s.line = liner.NewLiner()
	defer s.line.Close()
	s.line.SetCtrlCAborts(true)
	s.line.SetTabCompletionStyle(liner.TabPrints)
	s.line.SetWordCompleter(s.complete)
	kept := make(chan os.Signal, 1)
	signal.Notify(kept, os.Interrupt) // between two statements Ctrl-C ends nothing
	defer signal.Stop(kept)
	save := s.history()
	defer save()
	s.learn(ctx)
	fmt.Fprintln(s.notes, "A statement ends at ; – .help lists the commands, Tab completes names, Ctrl-D ends the shell.")

	in := newStatements(strings.NewReader(""))
	for {
		prompt := "nearlyfree> "
		if in.pending() {
			prompt = "        ... "
		}
		line, err := s.line.Prompt(prompt)
		switch {
		case errors.Is(err, liner.ErrPromptAborted): // Ctrl-C drops what was typed
			in, s.asked = newStatements(strings.NewReader("")), nil
			continue
		case err == io.EOF:
			fmt.Fprintln(s.notes)
			return nil
		case err != nil:
			return err
		}
		s.asked = append(s.asked, line)
		in.add([]byte(line + "\n"))
		for {
			st, ok := in.ready()
			if !ok {
				break
			}
			if err := s.run(ctx, st); err == errQuit {
				return nil
			} else if err != nil {
				fmt.Fprintln(s.notes, explained(err))
			}
			if changesNames[firstWord(st.text)] {
				s.learn(ctx)
			}
		}
		if !in.pending() {
			if text := strings.TrimSpace(strings.Join(s.asked, " ")); text != "" {
				s.line.AppendHistory(text)
			}
			s.asked = nil
		}
	}
}

// changesNames are the statements after which the names for completion differ.
var changesNames = map[string]bool{"CREATE": true, "ALTER": true, "DROP": true, "RENAME": true, "USE": true}

// learn reads the names again. Without them only words complete.
func (s *shell) learn(ctx context.Context) {
	if names, err := s.db.names(ctx); err == nil {
		s.names = names
	}
}

// history restores what was typed in earlier shells; the function that it returns saves it for later ones.
func (s *shell) history() (save func()) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return func() {}
	}
	name := filepath.Join(dir, "nearlyfree", "history")
	if f, err := os.Open(name); err == nil {
		s.line.ReadHistory(f)
		f.Close()
	}
	return func() {
		if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
			return
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // statements may hold private data
		if err != nil {
			return
		}
		defer f.Close()
		s.line.WriteHistory(f)
	}
}
