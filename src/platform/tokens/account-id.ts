/** Who has signed in, and with what. */
export interface Account {
  readonly userId: number;
  /** The token that they signed in with; absent where it was a password, a link or a company account. */
  readonly tokenId?: number | undefined;
  /** Whether they have given a second factor. */
  readonly hasSecondFactor?: boolean | undefined;
}

/**
 * An account as the OpenID provider names it: `7` for a person, `7f` for one who has given a second factor, `7.12` for one who signed in
 * with the token 12. Whatever comes of a sign-in has this name, so that everything knows how somebody has signed in.
 */
export function accountIdOf({ userId, tokenId, hasSecondFactor = false }: Account): string {
  return `${userId}${hasSecondFactor ? 'f' : ''}${tokenId === undefined ? '' : `.${tokenId}`}`;
}

/** Throws where the text is not an id that `accountIdOf` makes. */
export function readAccountId(id: string): Account {
  const [, userId, factor, tokenId] = /^(\d+)(f?)(?:\.(\d+))?$/.exec(id) ?? [];
  if (userId === undefined) throw new TypeError(`"${id}" is not an id of an account.`);
  return {
    userId: Number(userId),
    tokenId: tokenId === undefined ? undefined : Number(tokenId),
    hasSecondFactor: factor === 'f',
  };
}
