import type { WhoAmI } from '#flows/sign-in/who-am-i';
import type { Terminal } from './terminal.ts';

const sources: Readonly<Record<WhoAmI['source'], string>> = {
  variable: 'the variable SERVICE_AUTH_TOKEN',
  '.env': 'SERVICE_AUTH_TOKEN in the .env file of the project',
  'dev session': 'the running "vendor-cloud dev" of this project',
  keychain: 'the keychain of the system',
  file: 'the file of tokens that "vendor-cloud login" keeps',
};

export function renderWhoAmI(who: WhoAmI, { resultStyle }: Terminal): string {
  const { user, serverUrl, project, environment, team, source, expiresAt } = who;
  const rows = [
    ['Platform', serverUrl],
    ['Project', project],
    ['Environment', environment],
    ['Team', team],
    ['Token', `from ${sources[source]}`],
    ['Expires', expiresAt === null ? 'not known' : expiresAt.slice(0, 16).replace('T', ' ')],
  ];
  return [
    `${resultStyle.bold(user.name)} <${user.email}>`,
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(11)}  ${value}`),
  ].join('\n');
}
