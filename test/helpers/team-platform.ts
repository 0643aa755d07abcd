import path from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { type Sandbox, type SandboxOptions, startSandbox } from '#sandbox/index';
import { cheapPasswords } from './password-cost.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface TeamPlatform {
  readonly sandbox: Sandbox;
  readonly url: string;
  /** Token of Ada, who is the administrator of the project `shop`. */
  readonly token: string;
  readonly adaId: number;
  readonly envSecret: string;
  /** What the platform has logged as a warning or an error. */
  readonly logged: readonly { readonly message: string; readonly fields: unknown }[];
  /** Call the API; `as` is a token, `null` for none. The body is `undefined` if there is none. */
  call(method: string, path: string, body?: unknown, as?: string | null): Promise<Answer>;
  /** Invite somebody and accept; resolves to the person's id. */
  join(email: string, change?: Readonly<Record<string, unknown>>): Promise<number>;
  /** The secret of an invitation. */
  invite(email: string, change?: Readonly<Record<string, unknown>>): Promise<string>;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The message of an error. */
  readonly detail: string;
}

export const password = 'correct horse battery';
const envSecret = 'e'.repeat(64);

/** A platform for a team that stops when the test ends. */
export async function startTeamPlatform(options: Partial<SandboxOptions> = {}): Promise<TeamPlatform> {
  const logged: { message: string; fields: unknown }[] = [];
  const sandbox = await startSandbox({
    store: { dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'platform.sqlite') },
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: {
      log: (level, message, fields) => {
        if (level === 'Warn' || level === 'Error') logged.push({ message, fields });
      },
    },
    platformKey: 'a'.repeat(64),
    passwordCost: cheapPasswords,
    ...options,
  });
  onTestFinished(() => sandbox.stop());
  const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
  const access = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  const call: TeamPlatform['call'] = async (method, route, body, as = access.userToken) => {
    const response = await fetch(`${sandbox.url}${route}`, {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answered: unknown = text === '' ? undefined : JSON.parse(text);
    const errors = (answered as { errors?: { detail: string }[] } | undefined)?.errors;
    return { status: response.status, body: answered, detail: errors?.[0]?.detail ?? '' };
  };
  const invite: TeamPlatform['invite'] = async (email, change = {}) => {
    const invitation = { email, level: 'developer', role: 'Administrators', ...change };
    const { body } = await call('POST', '/api/invitations', invitation);
    return (body as { link: string }).link.split('#')[1] ?? '';
  };
  const join: TeamPlatform['join'] = async (email, change = {}) => {
    const [firstName = ''] = email.split('@');
    const accepted = await call(
      'POST',
      '/api/invitations/accept',
      { secret: await invite(email, change), firstName, lastName: 'Example', password },
      null,
    );
    if (accepted.status !== 204) throw new Error(`Accepting was answered with ${accepted.status} ${accepted.detail}`);
    const { body } = await call('GET', '/api/people');
    const { people } = body as { people: { id: number; email: string }[] };
    return people.find((person) => person.email === email)?.id ?? 0;
  };
  return {
    sandbox,
    url: sandbox.url,
    token: access.userToken,
    adaId: access.userId,
    envSecret,
    logged,
    call,
    join,
    invite,
  };
}
