import { scryptSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { createPasswordHashes } from '#platform/passwords/password-hash';

const { hash: hashPassword, isPasswordOf } = createPasswordHashes();

it('a hash states its cost, has a salt of its own, and knows only its own password', { tags: 'long' }, async () => {
  const [hash, again] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(hash).toMatch(/^\$scrypt\$ln=16,r=8,p=2\$[\w+/]{22}==\$[\w+/]{43}=$/);
  expect(hash).not.toBe(again);
  expect(await isPasswordOf('correct horse', hash)).toBe(true);
  expect(await isPasswordOf('correct horsf', hash)).toBe(false);
  expect(await isPasswordOf('correct horse', undefined)).toBe(false);
  expect(await isPasswordOf('', 'nonsense')).toBe(false);
});

it('a hash of another cost is checked at its own cost', async () => {
  const salt = Buffer.from('a salt of a test');
  const key = scryptSync('correct horse', salt, 32, { N: 2 ** 4, r: 8, p: 1 });
  const weak = `$scrypt$ln=4,r=8,p=1$${salt.toString('base64')}$${key.toString('base64')}`;
  expect(await isPasswordOf('correct horse', weak)).toBe(true);
  expect(await isPasswordOf('correct horsf', weak)).toBe(false);
});

it('the same letters typed on different keyboards are the same password', async () => {
  expect(await isPasswordOf('Zoe\u0308 is here now', await hashPassword('Zo\u00eb is here now'))).toBe(true);
});
