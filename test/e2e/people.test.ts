import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { canOpenTerminal, TerminalProcess } from '../helpers/terminal-process.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

/** A project that is served, and what commands in it say. */
async function startShop(...parameters: string[]) {
  const cwd = await createShopProject();
  const server = new DevProcess(bin, parameters, { cwd });
  endWithTest(server.child);
  const ready = await server.next('ready');
  const run = (line: string, env: Record<string, string> = {}) => runCli(line.split(' '), { cwd, env });
  const json = async (line: string) => {
    const { stdout, stderr, exitCode } = await run(`${line} --json`);
    expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  return { cwd, ready, run, json };
}

/** Somebody accepts an invitation. */
async function accept(ready: Awaited<ReturnType<typeof startShop>>['ready'], link: string): Promise<void> {
  const { url } = ready['sandbox'] as { url: string };
  const accepted = await fetch(`${url}/api/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      secret: link.split('#')[1],
      firstName: 'Bob',
      lastName: 'Example',
      password: 'correct horse battery',
    }),
  });
  expect(accepted.status).toBe(204);
}

describe('vendor-cloud people, roles and teams', () => {
  it('invite somebody, list, change and deactivate them, and tell links once', { tags: 'long' }, async () => {
    const { ready, run, json } = await startShop('sandbox', '--port', '0');
    const { url } = ready['sandbox'] as { url: string };

    expect(await json('teams create Support')).toEqual({ project: 'shop', name: 'Support' });
    expect((await run('teams list')).stdout).toMatch(/Support\s+0\s+until it is removed/);
    expect(await json('roles list')).toEqual({
      project: 'shop',
      roles: [{ id: expect.any(Number), name: 'Administrators', people: 1 }],
    });

    const invited = await run('people invite Bob@example.test --role Administrators --team Support');
    expect(invited).toMatchObject({ exitCode: 0 });
    expect(invited.stdout).toMatch(new RegExp(`^${url}/join#[0-9a-f]{64}$`));
    expect(invited.stderr).toContain('bob@example.test is invited to shop as Administrators.');
    const secret = invited.stdout.split('#')[1] ?? '';
    expect(invited.stderr).not.toContain(secret);
    const waiting = await json('people list');
    expect(waiting.invitations).toMatchObject([{ email: 'bob@example.test', level: 'user', team: 'Support' }]);
    expect(JSON.stringify(waiting)).not.toContain(secret);
    await accept(ready, invited.stdout);
    expect((await run('people list')).stdout).toMatch(
      /bob@example.test\s+Bob Example\s+user\s+Administrators\s+Support\s+active/,
    );

    expect(await json('people set --team Operations,Support BOB@example.test --level developer')).toMatchObject({
      email: 'bob@example.test',
      level: 'developer',
      team: 'Operations',
      teams: [
        { name: 'Operations', source: 'given' },
        { name: 'Support', source: 'given' },
      ],
    });
    expect((await run('people set bob@example.test --team Operations')).stdout).toContain('team Operations.');
    expect((await run('teams remove Support')).stdout).toContain('is removed');
    const reset = await json('people reset-password bob@example.test');
    expect(reset).toMatchObject({ email: 'bob@example.test', link: expect.stringMatching(/\/reset#[0-9a-f]{64}$/) });

    expect(await run('people deactivate bob@example.test')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('would lose the access to shop at once'),
    });
    expect(await json('people deactivate bob@example.test --yes')).toMatchObject({
      was: 'member',
      isDeactivated: true,
    });
    expect((await run('people list')).stdout).toContain('deactivated');
    expect(await json('people set bob@example.test --active')).toMatchObject({ isActive: true });

    // An invitation is taken back by the same command.
    const open = await json('people invite eve@example.test --role Administrators --level admin');
    expect(await json('people deactivate eve@example.test --yes')).toMatchObject({ was: 'invited' });
    expect((await json('people list')).invitations).toEqual([]);
    expect(open.link).toContain('/join#');
  });

  it('obey the rules of the platform', { tags: 'long' }, async () => {
    const { ready, run, json } = await startShop('sandbox', '--port', '0');
    const emailOfAda = (await json('people list')).people[0].email as string;
    await accept(ready, (await json('people invite bob@example.test --role Administrators')).link);
    for (const [line, exitCode, words] of [
      [`people set ${emailOfAda} --level user`, 5, 'is the last active administrator'],
      [`people deactivate ${emailOfAda} --yes`, 5, 'is the last active administrator'],
      ['people set bob@example.test', 2, 'Nothing is to change.'],
      ['people set bop@example.test --level user', 2, 'Did you mean "bob@example.test"?'],
      ['people deactivate nobody@example.test --yes', 2, 'has no member'],
      ['people invite bob@example.test --role Administrators', 5, 'bob@example.test'],
      ['people invite ann@example.test --role Administrator', 4, 'Did you mean "Administrators"?'],
      ['people invite ann --role Administrators', 4, '"email" is not valid'],
      ['people invite ann@example.test', 2, 'role'],
      ['elevate Root --for 30m --reason Because', 4, 'do not let you take the role "Root"'],
      ['elevate Root --for 30m', 2, 'reason'],
      ['elevations grant 7', 2, 'There is no elevation 7'],
      ['teams create Operations', 5, 'has a team "Operations" already'],
      ['teams remove Operations', 5, 'Every project keeps'],
    ] as const) {
      const refused = await run(line);
      expect([line, refused.exitCode, refused.stdout]).toEqual([line, exitCode, '']);
      expect(refused.stderr).toContain(words);
    }
  });
});

describe('vendor-cloud tokens print', () => {
  it('prints one token for a variable of the shell: for the agent, its MCP server and the platform', {
    tags: 'long',
  }, async () => {
    const { ready, run, json } = await startShop(
      ...['dev', '--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'],
    );
    const { agent, sandbox, mcp } = ready as unknown as Record<'agent' | 'sandbox' | 'mcp', { url: string }>;
    const statusAt = async (url: string, token: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: '*/*' };
      return (await fetch(url, { ...init, headers })).status;
    };
    const order = { data: { type: 'orders', id: '1', attributes: { status: 'paid' } } };
    const write = { method: 'PUT', body: JSON.stringify(order) };
    const orders = `${agent.url}/orders?timezone=UTC`;

    const printed = await run('tokens print agent');
    expect(printed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/) });
    expect(printed.stderr).toContain(`A token for the agent at ${agent.url}, until `);
    expect(printed.stderr).not.toContain('eyJ');
    expect(await statusAt(orders, printed.stdout)).toBe(200);
    expect(await statusAt(`${agent.url}/orders/1?timezone=UTC`, printed.stdout, write)).toBe(200);
    const reading = (await run('tokens print agent --read-only')).stdout;
    expect(await statusAt(orders, reading)).toBe(200);
    expect(await statusAt(`${agent.url}/orders/1?timezone=UTC`, reading, write)).toBe(403);

    const forMcp = await json('tokens print mcp --read-only --expires-in 10m');
    expect(forMcp).toMatchObject({ url: mcp.url, readOnly: true, audience: 'mcp', environment: 'development' });
    expect(Date.parse(forMcp.expiresAt) - Date.now()).toBeLessThanOrEqual(600_000);
    const env = { SERVICE_MCP_TOKEN: forMcp.token as string };
    const tools = await run(`mcp tools --mcp-url ${mcp.url} --json`, env);
    expect(JSON.parse(tools.stdout).tools.every((tool: { isReadOnly: boolean }) => tool.isReadOnly)).toBe(true);

    const forPlatform = (await run('tokens print platform --expires-in 8h')).stdout;
    expect(await statusAt(`${sandbox.url}/api/me`, forPlatform)).toBe(200);
    const log = (await run('audit search --admin --resource access-token --json')).stdout;
    expect(log.match(/printed for the platform/g)).toHaveLength(1);
    expect(log).not.toMatch(/vcu_|eyJ/);
  });

  it('prints no second one, and none that is refused', { tags: 'long' }, async () => {
    const { ready, run } = await startShop('sandbox', '--port', '0');
    const sandbox = ready['sandbox'] as { url: string };
    const forPlatform = (await run('tokens print platform --expires-in 8h')).stdout;
    // A printed token prints no other one, and a token that reads alone changes nothing.
    const readOnly = (await run('tokens print platform --read-only')).stdout;
    expect((await run('teams list', { SERVICE_AUTH_TOKEN: readOnly })).exitCode).toBe(0);
    const refused = await run('teams create Support', { SERVICE_AUTH_TOKEN: readOnly });
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining('only reads')]);
    const again = await run('tokens print platform', { SERVICE_AUTH_TOKEN: forPlatform });
    expect([again.exitCode, again.stderr]).toEqual([4, expect.stringContaining('prints no other one')]);

    for (const [line, exitCode, words] of [
      ['tokens print', 2, 'AUDIENCE'],
      ['tokens print everything', 2, 'agent, mcp, platform'],
      ['tokens print platform --expires-in 31d', 2, 'Give 30d at most.'],
      ['tokens print agent --expires-in 2h', 2, 'at least 1m and at most 1h'],
      ['tokens print platform --expires-in 5s', 2, 'at least 1m and at most 30d'],
      ['tokens print agent --agent-url http://admin.example.com', 2, 'not an https address'],
      ['tokens print agent --agent-url ftp://127.0.0.1', 2, 'not an https address'],
      ['tokens print agent --agent-url http://127.0.0.1:1', 4, 'No agent answers at http://127.0.0.1:1/service.'],
      [`tokens print agent --agent-url ${sandbox.url}`, 4, 'No token was made.'],
    ] as const) {
      const bad = await run(line);
      expect([line, bad.exitCode, bad.stdout]).toEqual([line, exitCode, '']);
      expect(bad.stderr).toContain(words);
    }
  });

  const pty = canOpenTerminal();
  it.skipIf(pty !== true)(
    `shows it on a terminal only with --show${pty === true ? '' : ` (skipped: ${pty})`}`,
    async () => {
      const { cwd } = await startShop('sandbox', '--port', '0');
      const command = `"${process.execPath}" "${bin}" tokens print platform`;
      const refused = new TerminalProcess(command, cwd);
      await refused.shows(/would be shown on the terminal[\s\S]*TOKEN=\$\(vendor-cloud tokens print platform\)/);
      expect(refused.screen).not.toContain('vcu_');
      const shown = new TerminalProcess(`${command} --show`, cwd);
      await shown.shows(/vcu_[0-9a-f]{64}/);
    },
  );
});
