package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/nearlyfreedb/nearlyfree/internal/csv"
)

// rejects is the file of refused records, each with its line and the reason. It exists only if it holds something.
type rejects struct {
	name string
	file *os.File
	as   rejectsForm
	size int64 // of what is in the file
	more []byte
}

// rejectsForm is how fields are written, which is as they were read.
type rejectsForm struct {
	separator string
	null      string // what stands for NULL in CSV
	escaped   bool   // as in .tsv, with backslashes and no quotes
}

func (f rejectsForm) append(out []byte, text string) []byte {
	if f.escaped {
		return append(out, tsvEscapes.Replace(text)...)
	}
	return csv.Append(out, text, f.null, f.separator)
}

// openRejects continues after the known content of the file. The rest belongs to a batch that was not written.
func openRejects(name string, as rejectsForm, size int64) (*rejects, error) {
	r := &rejects{name: name, as: as, size: size}
	if size == 0 {
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		return r, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	r.file = file
	return r, file.Truncate(size)
}

// add adds a record, and gives the resulting length of the file.
func (r *rejects) add(head []string, rec record, reason error) (int64, error) {
	why, _, _ := strings.Cut(reason.Error(), "\n")
	why = strings.TrimSpace(why)
	var out bytes.Buffer
	if head == nil {
		text := rec.text
		body, ok := strings.CutSuffix(text, "}")
		if rec.fields == nil || !ok {
			quoted, err := json.Marshal(text)
			if err != nil {
				return 0, err
			}
			body = `{"_text": ` + string(quoted)
		} else if len(rec.fields) == 0 {
			body = "{"
		}
		if body != "{" {
			body += ", "
		}
		told, err := json.Marshal(why)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(&out, "%s%q: %d, %q: %s}\n", body, noteLine, rec.line, noteReason, told)
	} else {
		var line []byte
		if r.size+int64(len(r.more)) == 0 {
			for _, name := range head {
				line = append(r.as.append(line, name), r.as.separator...)
			}
			line = append(line, noteLine+r.as.separator+noteReason+"\n"...)
		}
		for i := range head {
			switch {
			case i == 0 && rec.fields == nil:
				line = r.as.append(line, rec.text)
			case i < len(rec.fields) && rec.fields[i].value != nil:
				text, _ := rec.fields[i].value.(string)
				for _, more := range rec.fields[i+1:] { // the last one has what there is too much
					if i == len(head)-1 {
						s, _ := more.value.(string)
						text += r.as.separator + s
					}
				}
				line = r.as.append(line, text)
			case r.as.escaped:
				line = append(line, `\N`...)
			}
			line = append(line, r.as.separator...)
		}
		line = append(strconv.AppendInt(line, int64(rec.line), 10), r.as.separator...)
		out.Write(append(r.as.append(line, why), '\n'))
	}
	r.more = append(r.more, out.Bytes()...)
	return r.size + int64(len(r.more)), nil
}

// back drops what was added beyond a size: the batch will be written again.
func (r *rejects) back(size int64) error {
	if r == nil {
		return nil
	}
	if size >= r.size {
		r.more = r.more[:size-r.size]
		return nil
	}
	r.size, r.more = size, nil
	return r.file.Truncate(size)
}

// flush writes what was added.
func (r *rejects) flush() error {
	if r == nil || len(r.more) == 0 {
		return nil
	}
	if r.file == nil {
		file, err := os.OpenFile(r.name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		r.file = file
	}
	if _, err := r.file.WriteAt(r.more, r.size); err != nil {
		return err
	}
	r.size += int64(len(r.more))
	r.more = nil
	return r.file.Sync()
}

func (r *rejects) close() error {
	if r == nil || r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return file.Close()
}
