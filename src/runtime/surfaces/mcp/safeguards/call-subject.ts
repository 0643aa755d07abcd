/** What a call is about, and who makes it: a confirmation and an idempotency key are good for this alone. */
export interface CallSubject {
  readonly userId: number;
  readonly clientId: string;
  readonly tool: string;
  /** The arguments, without those about the call itself. */
  readonly given: Readonly<Record<string, unknown>>;
}
