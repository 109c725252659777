package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// source is a file that is read from its beginning, and unpacked if its name ends in .gz.
type source struct {
	io.Reader
	file *os.File
	name string
	size int64
	read atomic.Int64 // how much of the file
}

func openSource(name string) (*source, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s := &source{file: file, name: name}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	if !info.Mode().IsRegular() {
		file.Close()
		return nil, errors.New("it is not a file, and load must look ahead and find its place again; nearlyfree DSN < dump.sql runs SQL as it comes")
	}
	s.size = info.Size()
	s.Reader = bufio.NewReaderSize(counting{s}, 1<<18)
	if strings.HasSuffix(name, ".gz") {
		if s.Reader, err = gzip.NewReader(s.Reader); err != nil {
			file.Close()
			return nil, err
		}
	}
	return s, nil
}

func (s *source) Close() error { return s.file.Close() }

// counting counts the bytes read from the file.
type counting struct{ s *source }

func (c counting) Read(p []byte) (int, error) {
	n, err := c.s.file.Read(p)
	c.s.read.Add(int64(n))
	return n, err
}

// kindOf is csv, tsv, jsonl or sql, by a file's name; "" if the name does not say.
func kindOf(name string) string {
	switch ext := filepath.Ext(plainName(strings.ToLower(name))); ext {
	case ".csv", ".tsv", ".jsonl", ".sql", ".parquet":
		return ext[1:]
	case ".ndjson", ".json":
		return "jsonl"
	}
	return ""
}

// stem is a file's name without its folder and its extension.
func stem(name string) string {
	base := plainName(filepath.Base(name))
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// plainName is the name of the file that was compressed, or whose rejected records a file holds.
func plainName(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(name, rejectsEnding), ".gz")
}

const rejectsEnding = ".rejects"
