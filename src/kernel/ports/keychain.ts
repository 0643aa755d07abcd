/** What became of a secret: `missing` says that the library of the keychain is not installed. */
type KeychainAnswer = 'kept' | 'refused' | 'missing';

/** Where the system keeps the secrets of a person. It may ask the person at the screen, and has a deadline for that. */
export interface Keychain {
  store(name: string, secret: string): Promise<KeychainAnswer>;
  /** `undefined` where there is no such secret, or the keychain does not give it. */
  find(name: string): Promise<string | undefined>;
  /** Resolves even if the keychain cannot be asked. */
  remove(name: string): Promise<void>;
}
