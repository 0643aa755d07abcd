import { expect, it } from 'vitest';
import { readCompanySignOn } from '#flows/platform/read-company-sign-on';
import { flowContext } from '../../../helpers/flow-context.ts';

const complete = {
  SERVICE_SSO_ISSUER: 'https://login.example.com',
  SERVICE_SSO_CLIENT_ID: 'platform',
  SERVICE_SSO_CLIENT_SECRET: 'secret',
  SERVICE_SSO_DOMAINS: 'Example.com, example.org ,',
};

const read = (variables: Readonly<Record<string, string>>) => readCompanySignOn({ ...flowContext('.'), variables });

it('the provider of the company is read from the environment, and there is none without an issuer', () => {
  expect(read({})).toBeUndefined();
  expect(read(complete)).toMatchObject({
    issuer: 'https://login.example.com',
    clientId: 'platform',
    clientSecret: 'secret',
    domains: ['example.com', 'example.org'],
    isOnly: false,
    secondFactors: [],
    groupsClaim: 'groups',
    scopes: [],
  });
  expect(read({ ...complete, SERVICE_SSO_ONLY: 'true' })).toMatchObject({ isOnly: true });
  const counting = { ...complete, SERVICE_SSO_SECOND_FACTORS: 'mfa, hwk,' };
  const grouped = { ...complete, SERVICE_SSO_GROUPS_CLAIM: 'roles', SERVICE_SSO_SCOPES: 'groups  x' };
  expect(read(grouped)).toMatchObject({ groupsClaim: 'roles', scopes: ['groups', 'x'] });
  expect(read(counting)).toMatchObject({ secondFactors: ['mfa', 'hwk'] });
  expect(read({ ...complete, SERVICE_SSO_ISSUER: 'http://127.0.0.1:9000' })).toBeDefined();
});

it.each([
  [{ SERVICE_SSO_CLIENT_ID: '' }, 'SERVICE_SSO_CLIENT_ID'],
  [{ SERVICE_SSO_CLIENT_SECRET: '' }, 'SERVICE_SSO_CLIENT_SECRET'],
  [{ SERVICE_SSO_DOMAINS: ' ' }, 'SERVICE_SSO_DOMAINS'],
  [{ SERVICE_SSO_ISSUER: 'http://login.example.com' }, 'SERVICE_SSO_ISSUER'],
  [{ SERVICE_SSO_ISSUER: 'nonsense' }, 'SERVICE_SSO_ISSUER'],
  [{ SERVICE_SSO_ONLY: 'yes' }, 'SERVICE_SSO_ONLY'],
])('a provider is refused with %j', (change, name) => {
  expect(() => read({ ...complete, ...change })).toThrow(name);
});
