package azure

import (
	"context"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

// defaultCredential is azidentity's default chain, made when a token is first needed: making it reads the environment and files, which opening a
// store should not do.
type defaultCredential struct {
	once  sync.Once
	chain azcore.TokenCredential
	err   error
}

func (c *defaultCredential) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	c.once.Do(func() { c.chain, c.err = azidentity.NewDefaultAzureCredential(nil) })
	if c.err != nil {
		return azcore.AccessToken{}, c.err
	}
	return c.chain.GetToken(ctx, o)
}

// newCarrier makes the SDK's client with the credential that the options name. Its own retries are off: they would repeat writes that may have
// been applied.
func newCarrier(o *Options, at *address, transport policy.Transporter) (*aztables.Client, error) {
	client := &aztables.ClientOptions{ClientOptions: azcore.ClientOptions{
		PerCallPolicies: []policy.Policy{exchangePolicy{}},
		Retry:           policy.RetryOptions{MaxRetries: -1},
		Telemetry:       policy.TelemetryOptions{ApplicationID: "nearlyfree"},
		Transport:       meteredTransport{transport},
	}}
	service, err := newServiceClient(o, at.service(), client)
	if err != nil {
		return nil, badOption("%s: %v", o.credentialKind(), err)
	}
	return service.NewClient("carrier"), nil
}

func newServiceClient(o *Options, url string, client *aztables.ClientOptions) (*aztables.ServiceClient, error) {
	switch {
	case o.Key != "":
		cred, err := aztables.NewSharedKeyCredential(o.Account, string(o.Key))
		if err != nil {
			return nil, err
		}
		return aztables.NewServiceClientWithSharedKey(url, cred, client)
	case o.SAS != "":
		return aztables.NewServiceClientWithNoCredential(url, client)
	case o.Credential != nil:
		return aztables.NewServiceClient(url, o.Credential, client)
	}
	return aztables.NewServiceClient(url, new(defaultCredential), client)
}
