/** Who has signed in, and with what. */
export interface Account {
  readonly userId: number;
  /** The token that they signed in with; absent where it was a password, a link or a company account. */
  readonly tokenId?: number | undefined;
}

/** An account as the OpenID provider names it: `7` for a person, `7.12` for one who signed in with the token 12. */
export function accountIdOf({ userId, tokenId }: Account): string {
  return tokenId === undefined ? String(userId) : `${userId}.${tokenId}`;
}

/** Throws where the text is no id that `accountIdOf` makes. */
export function readAccountId(id: string): Account {
  const [, userId, tokenId] = /^(\d+)(?:\.(\d+))?$/.exec(id) ?? [];
  if (userId === undefined) throw new TypeError(`"${id}" is no id of an account.`);
  return { userId: Number(userId), tokenId: tokenId === undefined ? undefined : Number(tokenId) };
}
