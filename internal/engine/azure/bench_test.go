package azure_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"github.com/nearlyfreedb/nearlyfree/internal/engine"
	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
)

// canned is a transport that gives the same answer to every request: what is measured is the CPU on this
// side of the wire, this engine's beside the bare SDK's.
type canned struct {
	status int
	header http.Header
	body   []byte
}

func (c *canned) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
	}
	return &http.Response{
		StatusCode: c.status, Header: c.header.Clone(), Request: r,
		Body: io.NopCloser(bytes.NewReader(c.body)), ContentLength: int64(len(c.body)),
	}, nil
}

func benchEngine(b *testing.B, c *canned) *azure.Engine {
	return open(b, azure.Options{Endpoint: "https://fake.table.core.windows.net", Account: "fakeaccount", Key: "ZmFrZQ==", Transport: c})
}

func benchSDK(b *testing.B, c *canned) *aztables.Client {
	cred, err := aztables.NewSharedKeyCredential("fakeaccount", "ZmFrZQ==")
	if err != nil {
		b.Fatal(err)
	}
	client, err := aztables.NewClientWithSharedKey("https://fake.table.core.windows.net/customer", cred,
		&aztables.ClientOptions{ClientOptions: azcore.ClientOptions{Transport: c}})
	if err != nil {
		b.Fatal(err)
	}
	return client
}

// benchEntity is an entity of ten properties as the service words it.
func benchEntity(i int) string {
	return fmt.Sprintf(`{"odata.etag":"W/\"datetime'2024-05-06T07%%3A08%%3A09.1234567Z'\"","PartitionKey":"00","RowKey":"PK!%016x",`+
		`"Timestamp":"2024-05-06T07:08:09.1234567Z","id@odata.type":"Edm.Int64","id":"%d","name":"Customer number %d","surname":"Smith",`+
		`"email":"customer%d@example.com","city":"København","age":%d,"score":%d.5,"active":true,`+
		`"created@odata.type":"Edm.DateTime","created":"2024-05-06T07:08:09.1234567Z","note":"a line of text that is a little longer than the others"}`,
		i, i, i, i, i%100, i)
}

var benchNames = []string{"id", "name", "surname", "email", "city", "age", "score", "active", "created", "note"}

func BenchmarkPointRead(b *testing.B) {
	c := &canned{status: 200, header: http.Header{"Content-Type": {"application/json"}},
		body: []byte(`{"odata.metadata":"https://fake.table.core.windows.net/$metadata#customer/@Element",` + benchEntity(7)[1:])}
	b.Run("engine", func(b *testing.B) {
		e := benchEngine(b, c)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := e.Get(context.Background(), engine.Get{Table: "customer", PartitionKey: "00", RowKey: "PK!7", Select: benchNames}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		client := benchSDK(b, c)
		b.ReportAllocs()
		for b.Loop() {
			r, err := client.GetEntity(context.Background(), "00", "PK!7", nil)
			if err != nil {
				b.Fatal(err)
			}
			var m map[string]any
			if err := json.Unmarshal(r.Value, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPage(b *testing.B) {
	var body bytes.Buffer
	body.WriteString(`{"odata.metadata":"https://fake.table.core.windows.net/$metadata#customer","value":[`)
	for i := range 1000 {
		if i > 0 {
			body.WriteByte(',')
		}
		body.WriteString(benchEntity(i))
	}
	body.WriteString("]}")
	c := &canned{status: 200, header: http.Header{"Content-Type": {"application/json"}}, body: body.Bytes()}
	for name, names := range map[string][]string{"engine": benchNames, "engine-all": nil} {
		b.Run(name, func(b *testing.B) {
			e := benchEngine(b, c)
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				cursor := e.Scan(context.Background(), engine.Scan{Table: "customer", PartitionKey: "00", Select: names})
				for {
					chunk, err := cursor.Next(context.Background())
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
					n += len(chunk)
				}
				if n != 1000 {
					b.Fatal(n)
				}
			}
		})
	}
	b.Run("sdk", func(b *testing.B) {
		client := benchSDK(b, c)
		b.ReportAllocs()
		for b.Loop() {
			for pager := client.NewListEntitiesPager(nil); pager.More(); {
				page, err := pager.NextPage(context.Background())
				if err != nil {
					b.Fatal(err)
				}
				for _, text := range page.Entities {
					var m map[string]any
					if err := json.Unmarshal(text, &m); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	})
}

func BenchmarkBatch(b *testing.B) {
	const n = 100
	answer := "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"
	for range n {
		answer += "--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 204 No Content\r\nDataServiceVersion: 3.0;\r\n\r\n\r\n"
	}
	answer += "--c--\r\n--b--\r\n"
	c := &canned{status: 202, header: http.Header{"Content-Type": {"multipart/mixed; boundary=b"}}, body: []byte(answer)}
	b.Run("engine", func(b *testing.B) {
		e := benchEngine(b, c)
		commit := engine.Commit{Table: "customer", PartitionKey: "00"}
		for i := range n {
			commit.Ops = append(commit.Ops, engine.Op{Entity: engine.Entity{
				PartitionKey: "00", RowKey: fmt.Sprintf("PK!%016x", i), Names: benchNames[:5],
				Values: []engine.Value{
					{Type: engine.Int64, N: uint64(i)}, {Type: engine.String, S: "Customer"}, {Type: engine.String, S: "Smith"},
					{Type: engine.String, S: "customer@example.com"}, {Type: engine.String, S: "København"},
				},
			}})
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := e.Commit(context.Background(), commit); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("sdk", func(b *testing.B) {
		client := benchSDK(b, c)
		var actions []aztables.TransactionAction
		for i := range n {
			actions = append(actions, aztables.TransactionAction{ActionType: aztables.TransactionTypeAdd, Entity: fmt.Appendf(nil,
				`{"PartitionKey":"00","RowKey":"PK!%016x","id@odata.type":"Edm.Int64","id":"%d","name":"Customer","surname":"Smith","email":"customer@example.com","city":"København"}`, i, i)})
		}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := client.SubmitTransaction(context.Background(), actions, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
