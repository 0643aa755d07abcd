import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

async function start(...flags: string[]) {
  const root = await createShopProject();
  const server = new DevProcess(bin, ['sandbox', '--port', '0', ...flags], { cwd: root });
  endWithTest(server.child);
  const ready = await server.next('ready');
  const { url } = ready['sandbox'] as { url: string };
  return { root, server, ready, url };
}

describe('vendor-cloud sandbox', () => {
  it('serves the local platform for an agent and for commands until Ctrl-C', async () => {
    const { root, server, ready, url } = await start();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(ready['project']).toEqual({ path: root });
    const asAgent = { 'service-secret-key': String(ready['envSecret']) };
    const permissions = await fetch(`${url}/agent/v4/permissions/environment`, { headers: asAgent });
    expect(await permissions.json()).toBe(true);
    const asPerson = { authorization: `Bearer ${ready['token']}` };
    const people = await fetch(`${url}/api/people`, { headers: asPerson });
    expect(await people.json()).toMatchObject({ people: [{ level: 'admin', isActive: true }] });
    const listed = await runCli(['permissions', 'list', '--json'], { cwd: root });
    expect(JSON.parse(listed.stdout)).toMatchObject({ environment: 'development', revision: 0 });
    expect(await server.interrupt()).toBe(0);
    expect(server.lines.at(-1)).toEqual({ event: 'stopped' });
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  });

  it('does not touch a project that another session serves, and lets it go at its end', { tags: 'long' }, async () => {
    const { root, server } = await start();
    const second = await runCli(['sandbox', '--port', '0', '--json'], { cwd: root });
    expect(second.exitCode).not.toBe(0);
    expect(JSON.parse(second.stdout).error).toMatchObject({ code: 'PROJECT_IN_USE' });
    await server.interrupt();
    const third = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd: root });
    endWithTest(third.child);
    await third.next('ready');
    expect(await third.interrupt()).toBe(0);
  });
});
