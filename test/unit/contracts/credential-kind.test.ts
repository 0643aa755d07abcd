import { expect, it } from 'vitest';
import { credentialKindOf, withoutCredentials } from '#contracts/credential-kind';

const hex = '0a1b2c3d'.repeat(8);
const examples = [
  [hex, 'an environment secret'],
  [`${hex.toUpperCase()}\n`, 'an environment secret'],
  [`vcu_${hex}`, 'the token of a person'],
  ['svc_live_3f9cK2', 'an API token'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJpZCI6MX0.c2ln-_', 'a session token'],
] as const;

it.each(examples)('%j is %s', (text, kind) => {
  expect(credentialKindOf(text)).toBe(kind);
  expect(withoutCredentials(`There is no "${text.trim()}".`)).toBe('There is no "…".');
});

it.each(['', 'staging', 'eyes.eyed.example', hex.slice(1), `${hex}0`, 'vcu_short', 'a sentence of words'])(
  '%j is not a credential',
  (text) => {
    expect(credentialKindOf(text)).toBeUndefined();
    expect(withoutCredentials(text)).toBe(text);
  },
);
