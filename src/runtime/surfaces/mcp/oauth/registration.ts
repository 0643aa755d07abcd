import * as z from 'zod';
import { isRedirectUri } from './redirect-uris.ts';

/**
 * A registration (RFC 7591), as far as the server takes it. Only public clients are registered; what else a client says of itself,
 * such as the address of its logo, is left out.
 */
const registrationSchema = z.object({
  client_name: z.string().max(200).optional(),
  redirect_uris: z
    .array(
      z
        .string()
        .max(2048)
        .refine(isRedirectUri, { error: 'must be https:, or http: on this machine, without a fragment or a user' }),
    )
    .min(1)
    .max(10),
  token_endpoint_auth_method: z.literal('none').default('none'),
});

export interface RegistrationProblem {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  readonly error_description: string;
}

/** The metadata of a client to register, or what is wrong with what it sent. */
export function readRegistration(
  text: string,
): { readonly metadata: object } | { readonly problem: RegistrationProblem } {
  const read = registrationSchema.safeParse(parse(text));
  if (read.success) return { metadata: { ...read.data, ...clientDefaults } };
  const [issue] = read.error.issues;
  const place = issue?.path.join('.') ?? '';
  return {
    problem: {
      error: place.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      error_description: place === '' ? 'The body must be a JSON object.' : `"${place}": ${issue?.message}`,
    },
  };
}

/** What holds for every client. `native`: the port of an address on this machine may differ. */
export const clientDefaults = {
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
} as const;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
