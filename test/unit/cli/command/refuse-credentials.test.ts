import { describe, expect, it } from 'vitest';
import { refuseCredentials } from '#cli/command/refuse-credentials';

const secret = 'a1'.repeat(32);
const token = `vcu_${secret}`;

describe('a credential', () => {
  it.each([
    ['an argument', { args: { directory: secret }, flags: {} }, '"directory"'],
    ['the name of a project', { args: {}, flags: { in: token } }, '--in'],
    ['the name of an environment', { args: {}, flags: { env: 'eyJhbGci.eyJpZCI.c2ln' } }, '--env'],
    ['the message of a version', { args: {}, flags: { message: 'svc_live_3f9cK2' } }, '--message'],
  ])('is refused in place of %s, and not repeated', (_place, given, place) => {
    const refusal = () => refuseCredentials(given);
    expect(refusal).toThrow(expect.objectContaining({ code: 'USAGE_INVALID' }));
    expect(refusal).toThrow(`What ${place} was given looks like `);
    expect(refusal).not.toThrow(new RegExp(`${secret}|svc_live_|eyJ`));
  });

  it('passes where it belongs, and so does what only looks like one in the data of a project', () => {
    refuseCredentials({
      args: { id: secret, query: token },
      flags: { 'env-secret': secret, search: secret, ids: secret },
    });
    refuseCredentials({ args: { directory: 'shop' }, flags: { env: 'production', rows: 20, yes: true } });
  });
});
