const freshMs = 10 * 60_000;

/** Whether somebody signed in just now, so that they may change how they sign in. */
export function isFreshSignIn(signedInAt: number, now: number): boolean {
  return now - signedInAt <= freshMs;
}
