import type { ApiScope, ApiToken, CreateApiToken } from '#contracts/api-tokens';

/** A token as somebody fills it in. */
export interface TokenForm {
  readonly name: string;
  /** A program that acts through the agents, or one that calls the public API. */
  readonly isServiceAccount: boolean;
  readonly scopes: readonly ApiScope[];
  /** In days. */
  readonly life: TokenLife;
  /** With commas or spaces between; empty for everywhere. */
  readonly addresses: string;
}

export const tokenLives = ['7', '30', '90', '180', '366', 'never'] as const;
export type TokenLife = (typeof tokenLives)[number];

export const emptyToken: TokenForm = { name: '', isServiceAccount: false, scopes: [], life: '90', addresses: '' };

const daySeconds = 86_400;

/** Whether the form says what the token may do. */
export function isComplete({ name, isServiceAccount, scopes }: TokenForm): boolean {
  return name.trim() !== '' && (isServiceAccount || scopes.length > 0);
}

/** What the platform is asked for. Agents do not look at the addresses of a service account. */
export function creationOf({ name, isServiceAccount, scopes, life, addresses }: TokenForm): CreateApiToken {
  return {
    name,
    scopes: isServiceAccount ? ['agents:use'] : [...scopes],
    allowedCidrs: isServiceAccount ? [] : addresses.split(/[\s,;]+/).filter(Boolean),
    ...(life === 'never' ? { neverExpires: true } : { expiresInSeconds: Number(life) * daySeconds }),
  };
}

const unusedMs = 90 * daySeconds * 1_000;

type WarnedToken = Pick<ApiToken, 'state' | 'expiresSoon' | 'expiresAt' | 'lastUsedAt' | 'createdAt'>;

/** Why somebody should look at a token; `undefined` where nothing is to be done. */
export function warningOf(
  { state, expiresSoon, expiresAt, lastUsedAt, createdAt }: WarnedToken,
  now: number,
): 'ends soon' | 'unused' | undefined {
  if (state !== 'active') return undefined;
  // One that was made for a week is not a reason for a warning on its first day.
  const isOld = expiresAt === null || now - Date.parse(createdAt) > Date.parse(expiresAt) - now;
  if (expiresSoon && isOld) return 'ends soon';
  return now - Date.parse(lastUsedAt ?? createdAt) > unusedMs ? 'unused' : undefined;
}
