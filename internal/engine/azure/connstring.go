package azure

import (
	"net/url"
	"strings"
)

// The account of the emulators, with its published key.
// https://learn.microsoft.com/azure/storage/common/storage-use-azurite
const (
	devAccount  = "devstoreaccount1"
	devKey      = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	devEndpoint = "http://127.0.0.1"
	devPort     = ":10002"
)

// The parts of a connection string, by their names in lower case; false: for another service, and ignored.
// https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string
var connectionKeys = map[string]bool{
	"accountkey":                 true,
	"accountname":                true,
	"defaultendpointsprotocol":   true,
	"developmentstorageproxyuri": true,
	"endpointsuffix":             true,
	"sharedaccesssignature":      true,
	"tableendpoint":              true,
	"usedevelopmentstorage":      true,

	"blobendpoint":           false,
	"blobsecondaryendpoint":  false,
	"dfsendpoint":            false,
	"dfssecondaryendpoint":   false,
	"fileendpoint":           false,
	"filesecondaryendpoint":  false,
	"queueendpoint":          false,
	"queuesecondaryendpoint": false,
	"tablesecondaryendpoint": false,
	"webendpoint":            false,
	"websecondaryendpoint":   false,
}

// ParseConnectionString reads a connection string as the Azure portal shows it and the storage tools take
// it: with an account key, a shared access signature, explicit endpoints, or
// UseDevelopmentStorage=true. Order and case of the names, spaces around parts and empty parts do not
// matter. Errors name what is wrong or missing and hold none of the values.
func ParseConnectionString(s string) (Options, error) {
	part, err := splitConnectionString(s)
	if err != nil {
		return Options{}, err
	}
	if dev, ok := part["usedevelopmentstorage"]; ok {
		return developmentOptions(part, dev)
	}
	if _, ok := part["developmentstorageproxyuri"]; ok {
		return Options{}, badOption("DevelopmentStorageProxyUri works only with UseDevelopmentStorage=true")
	}
	o := Options{
		Account: part["accountname"],
		Key:     Secret(part["accountkey"]),
		SAS:     Secret(strings.TrimPrefix(part["sharedaccesssignature"], "?")),
	}
	if o.Key == "" && o.SAS == "" {
		return Options{}, badOption("the connection string has neither AccountKey nor SharedAccessSignature")
	}
	if o.Endpoint, err = connectionEndpoint(part); err != nil {
		return Options{}, err
	}
	if o.Account == "" && o.Key != "" {
		return Options{}, badOption("the connection string has no AccountName")
	}
	if err := checkSAS(o.SAS); err != nil {
		return Options{}, err
	}
	if _, err := o.check(); err != nil {
		return Options{}, err
	}
	return o, nil
}

// splitConnectionString gives the parts by their names in lower case.
func splitConnectionString(s string) (map[string]string, error) {
	part := map[string]string{}
	for i, text := range strings.Split(s, ";") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		name, value, ok := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		if !ok {
			return nil, badOption("part %d of the connection string has no name and \"=\"", i+1)
		}
		key := strings.ToLower(name)
		if _, known := connectionKeys[key]; !known {
			if !isLetters(name) {
				// Not a name at all, but perhaps the tail of a key that was cut by a ";".
				return nil, badOption("part %d of the connection string has an unknown name", i+1)
			}
			return nil, badOption("the connection string has an unknown part %s", name)
		}
		if _, twice := part[key]; twice {
			return nil, badOption("the connection string has %s twice", name)
		}
		part[key] = strings.TrimSpace(value)
	}
	if len(part) == 0 {
		return nil, badOption("the connection string is empty")
	}
	return part, nil
}

func isLetters(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != "" && len(s) <= 40
}

func connectionEndpoint(part map[string]string) (string, error) {
	if endpoint := part["tableendpoint"]; endpoint != "" {
		return strings.TrimSuffix(endpoint, "/"), nil
	}
	if part["accountname"] == "" {
		return "", badOption("the connection string has neither TableEndpoint nor AccountName")
	}
	if err := checkAccount(part["accountname"]); err != nil {
		return "", err
	}
	protocol := strings.ToLower(part["defaultendpointsprotocol"])
	if protocol == "" {
		protocol = "https"
	}
	suffix := part["endpointsuffix"]
	if suffix == "" {
		suffix = "core.windows.net"
	}
	for i := 0; i < len(suffix); i++ {
		if c := suffix[i]; !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == ':') {
			return "", badOption("EndpointSuffix is not the name of a host")
		}
	}
	return protocol + "://" + part["accountname"] + ".table." + suffix, nil
}

func developmentOptions(part map[string]string, dev string) (Options, error) {
	if !strings.EqualFold(dev, "true") {
		return Options{}, badOption("UseDevelopmentStorage can only be true")
	}
	host := devEndpoint
	for name, value := range part {
		switch name {
		case "developmentstorageproxyuri":
			host = strings.TrimSuffix(value, "/")
		case "accountname", "accountkey", "sharedaccesssignature", "tableendpoint", "endpointsuffix":
			return Options{}, badOption("UseDevelopmentStorage=true takes no account and no endpoint except DevelopmentStorageProxyUri")
		}
	}
	o := Options{Endpoint: host + devPort + "/" + devAccount, Account: devAccount, Key: devKey}
	if _, err := o.check(); err != nil {
		return Options{}, err
	}
	return o, nil
}

// ParseURL reads the URL of an account's table service, with a shared access signature as its query or
// with none: https://ACCOUNT.table.core.windows.net/?sv=… The emulators' form, with the account in the
// path, is taken too, and their well-known account needs no credential. Errors hold nothing of the query.
func ParseURL(raw string) (Options, error) {
	base, query, signed := strings.Cut(strings.TrimSpace(raw), "?")
	base, _, fragment := strings.Cut(base, "#")
	if fragment || strings.Contains(query, "#") {
		return Options{}, badOption("the URL has a fragment, which means nothing here")
	}
	o := Options{Endpoint: strings.TrimSuffix(base, "/"), SAS: Secret(query)}
	u, err := o.check()
	if err != nil {
		return Options{}, err
	}
	if signed && query != "" {
		if err := checkSAS(o.SAS); err != nil {
			return Options{}, err
		}
	}
	o.Account = accountOf(u)
	if o.SAS == "" && o.Account == devAccount && IsLoopback(u.Hostname()) {
		o.Key = devKey
	}
	return o, nil
}

// accountOf gives the account that an endpoint names: in its path, or as the host's first label.
func accountOf(u *url.URL) string {
	if path := strings.Trim(u.Path, "/"); path != "" {
		return path
	}
	account, _, _ := strings.Cut(u.Hostname(), ".")
	return account
}

func checkSAS(sas Secret) error {
	if sas == "" {
		return nil
	}
	// https://learn.microsoft.com/rest/api/storageservices/create-account-sas
	q, err := url.ParseQuery(strings.TrimPrefix(string(sas), "?"))
	if err != nil {
		return badOption("the shared access signature is not a URL's query")
	}
	if q.Get("sig") == "" {
		return badOption("the shared access signature has no sig")
	}
	return nil
}
