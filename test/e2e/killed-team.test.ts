import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import type { DevProcess } from '../helpers/dev-process.ts';
import { eventually } from '../helpers/eventually.ts';
import { loadOnAgents } from '../helpers/load-on-agents.ts';
import { codeOfRevision } from '../helpers/revision-code.ts';
import { type CertificateAuthority, createCertificateAuthority } from '../helpers/server-certificates.ts';
import { sessionTokenFor } from '../helpers/session-token.ts';
import { startTeam, type Team } from '../helpers/team-of-processes.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** A round takes six seconds on a machine with two cores that does nothing else. */
const rounds = Number(process.env['KILL_ROUNDS'] ?? 0);
const reason = rounds > 0 ? '' : ' (skipped: it takes long; npm run test:kill runs it)';
const timeoutMs = Math.max(15 * 60_000, rounds * 60_000);
/** A deployment to two hosts takes about this long: the kill meets each of its steps. */
const longestMs = 1_500;

const addressOf = (url: string) => new URL(url).host;
const servingAt = async (host: DevProcess) => addressOf(String((await host.next('serving'))['url']));

/** The processes that may be killed, and how each comes back. */
async function killable(team: Team) {
  let platform = team.platform;
  const hosts = [...team.hosts];
  const listens = await Promise.all(hosts.map(servingAt));
  const killed = async (process: DevProcess) => {
    process.child.kill('SIGKILL');
    await once(process.child, 'exit');
  };
  const hostAt = (index: 0 | 1) => async () => {
    await killed(hosts[index] as DevProcess);
    const again = team.startHost(index, listens[index]);
    hosts[index] = again;
    await again.next('serving');
  };
  const platformAgain = async () => {
    await killed(platform);
    platform = team.startPlatform();
    await platform.next('listening');
  };
  return { listens, victims: [platformAgain, hostAt(0), hostAt(1)] };
}

/** An authority that this process trusts until the test ends. */
async function trustedAuthority(): Promise<CertificateAuthority> {
  const before = getCACertificates();
  const authority = await createCertificateAuthority();
  setDefaultCACertificates([...before, authority.certificate]);
  onTestFinished(async () => {
    setDefaultCACertificates(before);
    await authority.remove();
  });
  return authority;
}

it.skipIf(reason !== '').each([
  { how: '', times: rounds, authorityOf: () => undefined },
  { how: ' behind proxies with TLS', times: Math.ceil(rounds / 5), authorityOf: trustedAuthority },
])(
  `a platform and its hosts$how are killed $times times in the middle of a deployment, and serve the same version afterwards${reason}`,
  async ({ times, authorityOf }) => {
    const store = `sqlite:${path.join(await temporaryFolder(), 'platform.sqlite')}`;
    const team = await startTeam(store, await authorityOf());
    await team.push(codeOfRevision('r0'), 'r0');
    const { listens, victims } = await killable(team);
    const claims = { id: team.user.id, renderingId: team.renderingOf('production') };
    const token = await sessionTokenFor({ platformUrl: team.url, envSecret: team.secretOf('production') }, claims);
    const ending = new AbortController();
    team.balancer.use(listens.map((listen) => `http://${listen}`));
    const load = loadOnAgents({ agents: [`${team.balancer.origin}/service`], token }, ending.signal);
    const revisionAt = async (listen: string) => {
      const answer = await fetch(
        `http://${listen}/service/customers?fields[customers]=revision&page[size]=1&timezone=UTC`,
        {
          headers: { authorization: `Bearer ${token}` },
        },
      );
      return /"revision":"(r\d+)"/.exec(await answer.text())?.[1];
    };

    for (let round = 1; round <= times; round++) {
      const deploying = team.push(codeOfRevision(`r${2 * round - 1}`), 'killed').catch((error: unknown) => error);
      await pause(Math.random() * longestMs);
      await victims[round % victims.length]?.();
      await deploying;
      // Whatever became of that deployment, the next one goes through.
      await team.push(codeOfRevision(`r${2 * round}`), 'after it');
      for (const listen of listens)
        await eventually(async () => expect(await revisionAt(listen)).toBe(`r${2 * round}`));
    }
    ending.abort();
    const { asked, failed } = await load;
    // A connection breaks with the process that it leads to. The other host takes the next one.
    expect(failed).toBeLessThan(asked / 10);
    expect(await team.run('audit', 'verify')).toMatchObject({ exitCode: 0 });
  },
  timeoutMs,
);
