package main

import (
	"regexp"
)

// alterHead is an ALTER TABLE up to its first action.
var alterHead = regexp.MustCompile("(?is)^ALTER\\s+TABLE\\s+" + tableName + `(\s*\.\s*` + tableName + `)?\s`)

const tableName = "(`(?:[^`]|``)+`|\"(?:[^\"]|\"\")+\"|[^\\s`\"(.]+)"

// alterParts cuts an ALTER TABLE into its actions, and gives what stands before them: one of them behind that is a statement. Where it is
// none, or is in a comment for servers of some version, all of it is one part.
func alterParts(text string) (head string, parts []string) {
	text = behindComments(text)
	head = alterHead.FindString(text)
	if head == "" {
		return "", []string{text}
	}
	text = text[len(head):]
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"', '`':
			i = behindQuote(text, i)
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, text[from:i])
				from = i + 1
			}
		}
	}
	return head, append(parts, text[from:])
}

// behindQuote gives where the quote ends that begins at i. A doubled one begins the next.
func behindQuote(text string, i int) int {
	quote := text[i]
	for i++; i < len(text) && text[i] != quote; i++ {
		if text[i] == '\\' && quote != '`' {
			i++
		}
	}
	return i
}
