import { expect, it } from 'vitest';
import { readMailServer } from '#flows/platform/read-mail-server';
import { flowContext } from '../../../helpers/flow-context.ts';

const complete = { SERVICE_SMTP_HOST: 'mail.example.com', SERVICE_SMTP_FROM: 'cloud@example.com' };
const signedIn = { SERVICE_SMTP_USER: 'cloud', SERVICE_SMTP_PASSWORD: ' a secret ' };

const read = (variables: Readonly<Record<string, string>>) => readMailServer({ ...flowContext('.'), variables });

it('the mail server is read from the environment, and demands TLS unless it is on this machine or told otherwise', () => {
  expect(read({})).toBeUndefined();
  expect(read(complete)).toEqual({
    ...{ host: 'mail.example.com', port: 587, security: 'starttls', credentials: undefined, from: 'cloud@example.com' },
  });
  expect(read({ ...complete, ...signedIn, SERVICE_SMTP_SECURITY: 'tls' })).toMatchObject({
    ...{ port: 465, security: 'tls', credentials: { user: 'cloud', password: ' a secret ' } },
  });
  for (const host of ['localhost', '127.0.0.1', '::1'])
    expect(read({ ...complete, ...signedIn, SERVICE_SMTP_HOST: host, SERVICE_SMTP_PORT: '2525' })).toMatchObject({
      ...{ security: 'none', port: 2525 },
    });
  expect(read({ ...complete, SERVICE_SMTP_SECURITY: 'none' })).toMatchObject({ security: 'none', port: 25 });
});

it.each([
  [{ SERVICE_SMTP_FROM: '' }, 'SERVICE_SMTP_FROM'],
  [{ SERVICE_SMTP_FROM: 'Cloud <cloud@example.com>' }, 'SERVICE_SMTP_FROM'],
  [{ SERVICE_SMTP_FROM: 'cloud@example.com\nBcc: else@example.com' }, 'SERVICE_SMTP_FROM'],
  [{ SERVICE_SMTP_SECURITY: 'ssl' }, 'SERVICE_SMTP_SECURITY'],
  [{ SERVICE_SMTP_PORT: '70000' }, 'SERVICE_SMTP_PORT'],
  [{ SERVICE_SMTP_USER: 'cloud' }, 'SERVICE_SMTP_PASSWORD'],
  [{ SERVICE_SMTP_PASSWORD: 'secret' }, 'SERVICE_SMTP_USER'],
  [{ ...signedIn, SERVICE_SMTP_SECURITY: 'none' }, 'in the open'],
])('a mail server is refused with %j', (change, name) => {
  expect(() => read({ ...complete, ...change })).toThrow(name);
  expect(() => read({ ...complete, ...change })).not.toThrow('a secret');
});
