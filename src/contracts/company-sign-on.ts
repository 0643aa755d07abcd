import * as z from 'zod';

/** The OpenID provider of the company, as whoever runs the platform has set it. Nothing has its secret. */
const companyProviderSchema = z.object({
  issuer: z.string(),
  clientId: z.string(),
  /** What e-mail addresses end with. */
  domains: z.array(z.string()),
  /** Passwords are not taken on the page for signing in. */
  isOnly: z.boolean(),
  /** What the provider says of a second factor that counts here; empty where it never counts. */
  secondFactors: z.array(z.string()),
  groupsClaim: z.string(),
  /** Scopes beside those of names and addresses. */
  scopes: z.array(z.string()),
  /** What the provider has as the redirect URI of the platform. */
  callbackUrl: z.url(),
});

/** `GET /api/company-sign-on`, for who may manage people. */
export const companySignOnSchema = z.object({
  /** `null` where nobody signs in with a company account. */
  provider: companyProviderSchema.nullable(),
  /** Where the company provisions people by SCIM 2.0. */
  scimUrl: z.url(),
});

export type CompanySignOnSettings = z.infer<typeof companySignOnSchema>;
