package azure_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/nearlyfreedb/nearlyfree/internal/engine/azure"
)

const (
	testKey = "c2VjcmV0IGFjY291bnQga2V5" // "secret account key"
	testSAS = "sv=2019-02-02&ss=t&srt=sco&sp=rl&se=2030-01-01&sig=c2VjcmV0%3D"
	devKey  = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

func TestParseConnectionString(t *testing.T) {
	const public = "https://shop.table.core.windows.net"
	for text, want := range map[string]azure.Options{
		"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=" + testKey + ";EndpointSuffix=core.windows.net": {
			Endpoint: public, Account: "shop", Key: testKey},
		"AccountName=shop;AccountKey=" + testKey: {Endpoint: public, Account: "shop", Key: testKey},
		" accountkey = " + testKey + " ;; ACCOUNTNAME=shop ; ": {
			Endpoint: public, Account: "shop", Key: testKey},
		"AccountName=shop;AccountKey=" + testKey + ";EndpointSuffix=core.chinacloudapi.cn;DefaultEndpointsProtocol=HTTPS": {
			Endpoint: "https://shop.table.core.chinacloudapi.cn", Account: "shop", Key: testKey},
		"AccountName=shop;AccountKey=" + testKey + ";TableEndpoint=https://tables.example.com/;BlobEndpoint=https://blobs.example.com/;QueueEndpoint=x;FileEndpoint=y": {
			Endpoint: "https://tables.example.com", Account: "shop", Key: testKey},
		"TableEndpoint=https://shop.table.cosmos.azure.com:443/;AccountName=shop;AccountKey=" + testKey: {
			Endpoint: "https://shop.table.cosmos.azure.com:443", Account: "shop", Key: testKey},
		"BlobEndpoint=https://shop.blob.core.windows.net/;TableEndpoint=https://shop.table.core.windows.net/;SharedAccessSignature=" + testSAS: {
			Endpoint: public, SAS: testSAS},
		"AccountName=shop;SharedAccessSignature=?" + testSAS: {Endpoint: public, Account: "shop", SAS: testSAS},
		"UseDevelopmentStorage=true": {
			Endpoint: "http://127.0.0.1:10002/devstoreaccount1", Account: "devstoreaccount1", Key: devKey},
		"usedevelopmentstorage=TRUE;DevelopmentStorageProxyUri=http://localhost/": {
			Endpoint: "http://localhost:10002/devstoreaccount1", Account: "devstoreaccount1", Key: devKey},
		"DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=" + devKey + ";TableEndpoint=http://127.0.0.1:7777/devstoreaccount1;": {
			Endpoint: "http://127.0.0.1:7777/devstoreaccount1", Account: "devstoreaccount1", Key: devKey},
	} {
		got, err := azure.ParseConnectionString(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got != want {
			t.Errorf("%s:\n got %v %q key %t\nwant %v %q", text, got, got.Account, got.Key == want.Key, want, want.Account)
		}
		if _, err := azure.Open(got); err != nil {
			t.Errorf("%s: Open: %v", text, err)
		}
	}
}

func TestParseConnectionStringErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "empty",
		" ; ;":                  "empty",
		"AccountName=shop":      "neither AccountKey nor SharedAccessSignature",
		"AccountKey=" + testKey: "neither TableEndpoint nor AccountName",
		"TableEndpoint=https://x.example.com;AccountKey=" + testKey:                                     "no AccountName",
		"AccountName=shop;AccountKey=" + testKey + ";Shoe=1":                                            "unknown part Shoe",
		"AccountName=shop;AccountName=shop;AccountKey=" + testKey:                                       "AccountName twice",
		"AccountName=shop;AccountKey=" + testKey + ";c2VjcmV0":                                          "part 3",
		"AccountName=shop;AccountKey=" + testKey + ";c2VjcmV0Z==":                                       "part 3",
		"AccountName=shop;AccountKey=c2VjcmV0!":                                                         "not base64",
		"AccountName=sh/op;AccountKey=" + testKey:                                                       "account's name",
		"AccountName=shop;AccountKey=" + testKey + ";EndpointSuffix=evil.com/x":                         "EndpointSuffix",
		"AccountName=shop;AccountKey=" + testKey + ";DefaultEndpointsProtocol=http":                     "plain http",
		"AccountName=shop;AccountKey=" + testKey + ";DefaultEndpointsProtocol=ftp":                      "scheme",
		"AccountName=shop;AccountKey=" + testKey + ";TableEndpoint=http://tables.example.com":           "plain http",
		"AccountName=shop;AccountKey=" + testKey + ";TableEndpoint=https://u:c2VjcmV0@t.example.com":    "user name",
		"AccountName=shop;AccountKey=" + testKey + ";TableEndpoint=https://t.example.com/?sig=c2VjcmV0": "query",
		"AccountName=shop;AccountKey=" + testKey + ";TableEndpoint=://c2VjcmV0":                         "not a URL",
		"AccountName=shop;SharedAccessSignature=sv=c2VjcmV0":                                            "no sig",
		"AccountName=shop;SharedAccessSignature=sig=%zzc2VjcmV0":                                        "not a URL's query",
		"UseDevelopmentStorage=false":                                                                   "can only be true",
		"UseDevelopmentStorage=true;AccountName=shop":                                                   "takes no account",
		"AccountName=shop;AccountKey=" + testKey + ";TableEndpoint=http://evil.localhost/":              "plain http",
		"UseDevelopmentStorage=true;DevelopmentStorageProxyUri=http://proxy.example.com":                "plain http",
		"DevelopmentStorageProxyUri=http://localhost;AccountName=shop;AccountKey=" + testKey:            "UseDevelopmentStorage",
	} {
		_, err := azure.ParseConnectionString(text)
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want something about %q", text, err, want)
		}
		if strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("the error tells a secret: %v", err)
		}
	}
}

func TestParseURL(t *testing.T) {
	for text, want := range map[string]azure.Options{
		"https://shop.table.core.windows.net":             {Endpoint: "https://shop.table.core.windows.net", Account: "shop"},
		"https://shop.table.core.windows.net/":            {Endpoint: "https://shop.table.core.windows.net", Account: "shop"},
		"https://shop.table.core.windows.net/?" + testSAS: {Endpoint: "https://shop.table.core.windows.net", Account: "shop", SAS: testSAS},
		"http://127.0.0.1:10002/devstoreaccount1":         {Endpoint: "http://127.0.0.1:10002/devstoreaccount1", Account: "devstoreaccount1", Key: devKey},
		"http://localhost:10002/other/?" + testSAS:        {Endpoint: "http://localhost:10002/other", Account: "other", SAS: testSAS},
		"http://[::1]:10002/devstoreaccount1":             {Endpoint: "http://[::1]:10002/devstoreaccount1", Account: "devstoreaccount1", Key: devKey},
	} {
		got, err := azure.ParseURL(text)
		if err != nil || got != want {
			t.Errorf("%s: %v %q, %v; want %v", text, got, got.Account, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                                    "no endpoint",
		"http://shop.table.core.windows.net/": "plain http",
		"https://shop.table.core.windows.net/a/b":          "more than an account",
		"https://shop.table.core.windows.net/#c2VjcmV0":    "fragment",
		"https://shop.table.core.windows.net/?se=c2VjcmV0": "no sig",
		"https://c2VjcmV0@shop.table.core.windows.net/":    "user name",
		"shop.table.core.windows.net":                      "not a URL",
	} {
		_, err := azure.ParseURL(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: %v, want something about %q and no secret", text, err, want)
		}
	}
}

// TestNoSecretIsPrinted prints options in every way there is, but %p of what is no pointer: fmt asks no
// method there, and vet refuses it.
func TestNoSecretIsPrinted(t *testing.T) {
	o := azure.Options{Endpoint: "https://shop.table.core.windows.net", Account: "shop", Key: testKey, SAS: testSAS}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%T", "%t", "%08.3f"} {
		for _, v := range []any{o, &o, []azure.Options{o}, struct{ O azure.Options }{o}, o.Key, &o.Key, struct{ K azure.Secret }{o.Key}} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("x", "options", o, "pointer", &o, "key", o.Key, "any", []any{o, o.SAS})
	}
	if err := json.NewEncoder(&out).Encode(map[string]any{"key": o.Key, "sas": o.SAS}); err != nil {
		t.Fatal(err)
	}
	hexKey := fmt.Sprintf("%x", testKey)
	for _, secret := range []string{testKey, testSAS, "c2VjcmV0", hexKey, strings.ToUpper(hexKey)} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is printed:\n%s", secret, out.String())
		}
	}
	if !strings.Contains(out.String(), "https://shop.table.core.windows.net (account key)") {
		t.Errorf("the account is not named:\n%s", out.String())
	}
}

func TestOpenRefuses(t *testing.T) {
	good := azure.Options{Endpoint: "https://shop.table.core.windows.net", Account: "shop", Key: testKey}
	for want, change := range map[string]func(*azure.Options){
		"no endpoint":        func(o *azure.Options) { o.Endpoint = "" },
		"account's name":     func(o *azure.Options) { o.Account = "" },
		"not base64":         func(o *azure.Options) { o.Key = "c2VjcmV0!" },
		"Parallel is neg":    func(o *azure.Options) { o.Parallel = -1 },
		"PageEntities is 1":  func(o *azure.Options) { o.PageEntities = 1001 },
		"Retry.MaxTries is ": func(o *azure.Options) { o.Retry.MaxTries = -1 },
		"Retry.TryTimeout":   func(o *azure.Options) { o.Retry.TryTimeout = -1 },
	} {
		o := good
		change(&o)
		if _, err := azure.Open(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want something about %q", err, want)
		}
	}
}
