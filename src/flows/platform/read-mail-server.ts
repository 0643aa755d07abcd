import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { MailSecurity, MailServer } from '#kernel/ports/mailer';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import type { FlowContext } from '../flow-context.ts';

const usualPorts: Readonly<Record<MailSecurity, number>> = { starttls: 587, tls: 465, none: 25 };

/**
 * The mail server of the platform, as the environment describes it; `undefined` without one. Throws `USAGE_INVALID` for a part that is missing
 * or makes no sense, and for a password that would travel in the open.
 */
export function readMailServer({ variables }: Pick<FlowContext, 'variables'>): MailServer | undefined {
  const read = (name: string) => variables[name]?.trim() || undefined;
  const host = read('SERVICE_SMTP_HOST');
  if (host === undefined) return undefined;
  const isHere = isLoopbackHost(host) || host === '::1';
  const security = securityOf(read('SERVICE_SMTP_SECURITY') ?? (isHere ? 'none' : 'starttls'));
  const from = read('SERVICE_SMTP_FROM');
  if (from === undefined || !/^[^\s<>()[\]\\,;:"]+@[^\s<>()[\]\\,;:"]+$/.test(from)) {
    throw invalid(
      'SERVICE_SMTP_HOST is set, and SERVICE_SMTP_FROM is not an address',
      'Set it to the address that mails come from: cloud@example.com.',
    );
  }
  const credentials = credentialsOf(read('SERVICE_SMTP_USER'), variables['SERVICE_SMTP_PASSWORD']);
  if (credentials && security === 'none' && !isHere) {
    throw invalid(
      'With SERVICE_SMTP_SECURITY=none, the password would travel to another machine in the open',
      'Set it to starttls or tls, or leave SERVICE_SMTP_USER and SERVICE_SMTP_PASSWORD out.',
    );
  }
  return { host, port: portOf(read('SERVICE_SMTP_PORT')) ?? usualPorts[security], security, credentials, from };
}

function securityOf(value: string): MailSecurity {
  if (value === 'starttls' || value === 'tls' || value === 'none') return value;
  throw invalid(
    'SERVICE_SMTP_SECURITY is neither starttls nor tls nor none',
    'Set it to one of them, or leave it out: then it is starttls, and none for a server on this machine.',
  );
}

function portOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (/^\d+$/.test(value) && port > 0 && port <= 65_535) return port;
  throw invalid('SERVICE_SMTP_PORT is not a port', 'Set it to a number up to 65535, or leave it out.');
}

function credentialsOf(user: string | undefined, password: string | undefined): MailServer['credentials'] {
  if (user === undefined && !password) return undefined;
  if (user !== undefined && password) return { user, password };
  throw invalid(
    `${user === undefined ? 'SERVICE_SMTP_USER' : 'SERVICE_SMTP_PASSWORD'} is missing`,
    'Set SERVICE_SMTP_USER and SERVICE_SMTP_PASSWORD, or neither.',
  );
}

function invalid(problem: string, nextStep: string): CloudError {
  return cloudError('USAGE_INVALID', `${problem}.`, nextStep);
}
