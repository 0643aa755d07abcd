const daySeconds = 24 * 3600;

export const codeSeconds = 60;
/** How long somebody may take to sign in and to agree. */
export const consentSeconds = 600;
export const refreshTokenSeconds = 30 * daySeconds;
export const grantSeconds = 90 * daySeconds;
/** What a client says of itself is kept for at least as long as somebody takes to agree and the code lasts. */
export const documentSeconds = { min: consentSeconds + codeSeconds, max: daySeconds } as const;
