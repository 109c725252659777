package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"regexp"
)

// filePart identifies the part of a file that is done, by a digest of its statements or records. The rest may change: a failed load continues
// when the file is corrected.
type filePart [16]byte

// add adds what is done next.
func (p *filePart) add(texts ...string) {
	h := sha256.New()
	h.Write(p[:])
	for _, text := range texts {
		fmt.Fprintf(h, "%d ", len(text))
		io.WriteString(h, text)
	}
	copy(p[:], h.Sum(nil))
}

// addStatement adds a statement. The comments before it may be changed.
func (p *filePart) addStatement(st statement) { p.add(behindComments(st.text)) }

// addRecord adds a record of CSV or JSON lines.
func (p *filePart) addRecord(rec record) {
	if rec.text != "" {
		p.add(rec.text)
		return
	}
	texts := make([]string, len(rec.fields))
	for i, f := range rec.fields {
		if s, ok := f.value.(string); ok {
			texts[i] = "'" + s
		}
	}
	p.add(texts...)
}

func (p filePart) String() string { return "part-" + hex.EncodeToString(p[:]) }

// wholeFile is the form of the places that the first versions of this command kept: they identified the file as a whole.
var wholeFile = regexp.MustCompile(`^\d+-[0-9a-f]{32}$`)

// fingerprint identifies a file as the first versions did: by its size, its beginning and its end.
func fingerprint(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	const part = 1 << 16
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, part)); err != nil {
		return "", err
	}
	if _, err := io.Copy(h, io.NewSectionReader(f, max(0, info.Size()-part), part)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%s", info.Size(), hex.EncodeToString(h.Sum(nil)[:16])), nil
}

// readPart reads the part of the file that is done, and says whether more follows it. For a shorter file it gives no part.
func (l *loader) readPart(done int64) (part filePart, more bool, err error) {
	in, err := openSource(l.name)
	if err != nil {
		return part, false, err
	}
	defer in.Close()
	next, err := l.parts(in, &part)
	if err != nil {
		return part, false, err
	}
	for n := int64(0); ; n++ {
		before := part
		err := next()
		switch {
		case err == io.EOF && n == done:
			return part, false, nil
		case err == io.EOF:
			return filePart{}, false, nil
		case err != nil:
			return part, false, err
		case n == done:
			return before, true, nil
		}
	}
}

// parts gives a function that adds the next statement or record to a part.
func (l *loader) parts(in io.Reader, part *filePart) (next func() error, err error) {
	if l.kind == "sql" {
		s := newStatements(in)
		return func() error {
			st, err := s.next()
			if err == nil {
				part.addStatement(st)
			}
			return err
		}, nil
	}
	r, err := l.records(in)
	if err != nil {
		return nil, err
	}
	part.add(r.names()...)
	return func() error {
		rec, err := r.next()
		if err == nil {
			part.addRecord(rec)
		}
		return err
	}, nil
}
