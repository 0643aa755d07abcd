import type { ApiTokenLevel, NewApiToken, WantedApiScope } from '#contracts/api-tokens';
import type { FlowContext } from '../flow-context.ts';
import { connectToTokens } from './tokens-of-project.ts';

export interface CreateTokenInput {
  readonly folder: string;
  readonly name: string;
  /** Empty: those of the level. */
  readonly scopes: readonly WantedApiScope[];
  readonly level: ApiTokenLevel | undefined;
  /** `undefined`: as long as the platform gives by default. */
  readonly expiresInSeconds: number | undefined;
  readonly neverExpires: boolean;
  /** Addresses and ranges from which it may be used. Empty: every address. */
  readonly allowedCidrs: readonly string[];
}

/** A token with its secret, which nobody can read again. */
export interface TokenWithSecret extends NewApiToken {
  readonly project: string;
}

/** Make an API token of a project. */
export async function createToken(context: FlowContext, input: CreateTokenInput): Promise<TokenWithSecret> {
  const { folder, name, scopes, level = 'read-only', expiresInSeconds, neverExpires, allowedCidrs } = input;
  const { client, project } = await connectToTokens(context, folder);
  const made = await client.createApiToken(project, {
    name,
    ...(scopes.length > 0 ? { scopes: [...scopes] } : { level }),
    ...(neverExpires ? { neverExpires } : { expiresInSeconds }),
    allowedCidrs: [...allowedCidrs],
  });
  return { project, ...made };
}
