/** What each kind of credential looks like, anywhere in a text. */
const shapes = {
  'an environment secret': '[0-9a-f]{64}',
  'the token of a person': 'vcu_[0-9a-f]{64}',
  'an API token': 'svc_(?:live|test)_\\w+',
  'a session token': 'eyJ[\\w-]+\\.eyJ[\\w-]+\\.[\\w-]+',
} as const;

/** With its article, for sentences. */
export type CredentialKind = keyof typeof shapes;

/** Which credential a text is; `undefined` for any other text. */
export function credentialKindOf(text: string): CredentialKind | undefined {
  const kinds = Object.keys(shapes) as CredentialKind[];
  return kinds.find((kind) => new RegExp(`^${shapes[kind]}$`, 'i').test(text.trim()));
}

/** A text with dots in place of every credential in it. */
export function withoutCredentials(text: string): string {
  return text.replace(new RegExp(`\\b(?:${Object.values(shapes).join('|')})\\b`, 'gi'), '…');
}
