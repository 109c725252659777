package main

import (
	"runtime/debug"
	"strings"
)

// version is what the command was built from: a release, or else the commit of a checkout, and the version of Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown version"
	}
	words := []string{info.Main.Version}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			words = append(words, "commit "+s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "changed")
		}
	}
	return strings.Join(append(words, info.GoVersion), ", ")
}
