/** Encrypts texts under a key that is derived from a secret. */
export interface SealedTexts {
  seal(text: string): Promise<string>;
  /** The text again; `undefined` for what was not sealed with the same secret and purpose, or was changed. */
  open(sealed: string): Promise<string | undefined>;
}
