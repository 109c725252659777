package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	pageLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unmarked = regexp.MustCompile("[^a-z0-9 _-]")
)

// TestLinks: a link of the documentation to another page, or a heading of one, leads somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, path := range append(pages, "../README.md", "../ARCHITECTURE.md", "../CONTRIBUTING.md", "../CHANGELOG.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range pageLink.FindAllStringSubmatch(string(text), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), file)
			}
			there, err := os.ReadFile(target)
			if err != nil {
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s links to %s: %v", path, m[1], err)
				}
				continue
			}
			if anchor != "" && !hasAnchor(string(there), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", path, m[1])
			}
		}
	}
	if links < 40 {
		t.Errorf("%d links were found", links)
	}
}

// hasAnchor says whether a page has a heading that is linked to by an anchor.
func hasAnchor(page, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		if strings.ReplaceAll(unmarked.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}
