import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import type { CompanySignOnOptions } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';

/**
 * The provider of the company, as the environment describes it; `undefined` without one. Throws `USAGE_INVALID` when a part is
 * missing: a platform must not start with less than it was told to check.
 */
export function readCompanySignOn({
  variables,
  http,
}: Pick<FlowContext, 'variables' | 'http'>): CompanySignOnOptions | undefined {
  const issuer = variables['SERVICE_SSO_ISSUER'];
  if (issuer === undefined || issuer === '') return undefined;
  const need = (name: string): string => {
    const value = variables[name]?.trim();
    if (value) return value;
    throw invalid(`SERVICE_SSO_ISSUER is set, and ${name} is missing`, `Set ${name} too.`);
  };
  const url = URL.parse(issuer);
  const isHere = url !== null && isLoopbackHost(url.hostname);
  if (url?.protocol !== 'https:' && !(isHere && url.protocol === 'http:')) {
    throw invalid('SERVICE_SSO_ISSUER is not an https address', 'Set it to the issuer of the provider.');
  }
  const isOnly = variables['SERVICE_SSO_ONLY'] ?? 'false';
  if (!['true', 'false'].includes(isOnly)) {
    throw invalid('SERVICE_SSO_ONLY is neither true nor false', 'Set it to true or false, or leave it out.');
  }
  return {
    issuer,
    clientId: need('SERVICE_SSO_CLIENT_ID'),
    clientSecret: need('SERVICE_SSO_CLIENT_SECRET'),
    domains: listOf(need('SERVICE_SSO_DOMAINS').toLowerCase()),
    isOnly: isOnly === 'true',
    groupsClaim: variables['SERVICE_SSO_GROUPS_CLAIM']?.trim() || 'groups',
    scopes: (variables['SERVICE_SSO_SCOPES'] ?? '').split(/\s+/).filter((scope) => scope !== ''),
    secondFactors: listOf(variables['SERVICE_SSO_SECOND_FACTORS'] ?? ''),
    http,
  };
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function invalid(problem: string, nextStep: string): CloudError {
  return cloudError('USAGE_INVALID', `${problem}.`, nextStep);
}
