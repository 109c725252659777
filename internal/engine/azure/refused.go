package azure

// refused says what to check if the service denies access, by its codes:
// https://learn.microsoft.com/rest/api/storageservices/common-rest-api-error-codes
var refused = map[string]string{
	"AuthenticationFailed":               "the account's key or the shared access signature is wrong, or has expired, or the clock here is more than 15 minutes off",
	"AuthorizationFailure":               "the account's key is wrong, the shared access signature does not allow this, or the account's firewall does not allow this network",
	"AuthorizationPermissionMismatch":    "the identity has no role that allows this, as Storage Table Data Contributor does (a new role takes some minutes), or the shared access signature lacks the right",
	"AuthorizationProtocolMismatch":      "the shared access signature is for https only",
	"AuthorizationSourceIPMismatch":      "the shared access signature is for other IP addresses",
	"AuthorizationServiceMismatch":       "the shared access signature is not for the table service",
	"AuthorizationResourceTypeMismatch":  "the shared access signature does not allow this type of resource: it takes containers (tables) and objects (entities)",
	"KeyBasedAuthenticationNotPermitted": "the account accepts no keys: give its endpoint as a URL, and sign in by Microsoft Entra ID",
	"AccountIsDisabled":                  "the account is disabled",
	"InsufficientAccountPermissions":     "the account may only be read, as a secondary endpoint may",
}
