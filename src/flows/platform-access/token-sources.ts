import type { DevSession } from '#contracts/dev-session';
import type { Env } from '#kernel/ports/env';
import type { FlowContext } from '../flow-context.ts';
import { findSavedToken, type TokenPlace } from './saved-tokens.ts';

/** Where a token came from. */
export type TokenSource = 'variable' | '.env' | 'dev session' | TokenPlace;

export interface FoundToken {
  readonly source: TokenSource;
  readonly token: string;
  /** Whose it is, where that is written beside it. */
  readonly email?: string;
  readonly expiresAt?: string | null;
}

export interface TokenPlaces {
  readonly url: string;
  /** Variables of the process, then those of the project. */
  readonly env: Env;
  readonly session: DevSession['servers'] | undefined;
}

/**
 * The tokens for a platform, in the order in which they win: SERVICE_AUTH_TOKEN, the session of `dev` for its own platform, who has
 * signed in with `login`. Each is looked for only when it is asked for, because the keychain takes time.
 */
export async function* tokensFor(context: FlowContext, { url, env, session }: TokenPlaces): AsyncGenerator<FoundToken> {
  const given = env.get('SERVICE_AUTH_TOKEN');
  if (given) yield { source: context.variables['SERVICE_AUTH_TOKEN'] ? 'variable' : '.env', token: given };
  // The session's token is for the session's server alone.
  if (session?.platformToken && url === session.sandboxUrl)
    yield { source: 'dev session', token: session.platformToken };
  const saved = await findSavedToken(context, url);
  if (!saved) return;
  const { place, token, email, expiresAt } = saved;
  yield { source: place, token, email, expiresAt };
}
