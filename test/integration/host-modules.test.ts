import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { push } from '#flows/push/push';
import { serve } from '#flows/serve/serve';
import type { ServeEvent } from '#flows/serve/serve-event';
import { facades, filesOfFacade } from '../../scripts/pack/facades.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { type PushingProject, startPushingProject } from '../helpers/pushing-project.ts';
import { sessionTokenFor } from '../helpers/session-token.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

type EventOf<Name extends ServeEvent['event']> = Extract<ServeEvent, { event: Name }>;

/** Uses this package from each of its subpaths, at load, in a handler, by `require`, and by `import()`. */
const codeWithOwnPackage = `
import { concat, field, ValidationError } from '@vendor/cloud';
import { ValidationError as SameError } from '@vendor/agent';
import * as agentPart from '@vendor/cloud/agent';
import * as testing from '@vendor/cloud/agent-testing';
import * as ai from '@vendor/cloud/ai-proxy';
import * as exporting from '@vendor/plugin-export';
import * as files from '@vendor/cloud/plugin-file-storage';
import * as flattener from '@vendor/plugin-flattener';
const parts = [agentPart, testing, ai, exporting, files, flattener];
export default (agent) => agent.customizeCollection('notes', (notes) => notes
  .addField('loud', { columnType: 'String', expression: concat(field('text'), '!') })
  .addField('seen', { columnType: 'String', dependencies: ['id'], getValues: async (rows) => {
    const later = await import('@vendor/cloud');
    const isSame = SameError === ValidationError && later.ValidationError === ValidationError &&
      require('@vendor/cloud/agent').createAgent === agentPart.createAgent && require.resolve('@vendor/cloud').length > 0;
    return rows.map(() => (isSame ? 'the same ' : 'another ') + parts.filter((part) => Object.keys(part).length > 0).length);
  } })
  .addHook('Before', 'Update', () => { throw new ValidationError('The note is closed.'); }));`;

/** Install the façades in a project, as npm would: without the package that they stand for. */
async function installFacades(root: string): Promise<void> {
  const from = { name: '@vendor/cloud', version: '0.1.0', license: 'Apache-2.0', engines: {} };
  for (const facade of facades) {
    await writeFiles(path.join(root, 'node_modules', facade.name), filesOfFacade(facade, from));
  }
}

/** A host of the project in this process, which has only the folder of its state. */
async function startHost({ serverUrl, envSecret, root }: PushingProject, version?: string) {
  const events: ServeEvent[] = [];
  const waiting: (() => void)[] = [];
  const quit = new AbortController();
  const stateFolder = await temporaryFolder();
  const context = flowContext(root);
  const session = serve(
    { ...context, package: { ...context.package, version: version ?? context.package.version } },
    {
      serverUrl,
      envSecret,
      name: 'one',
      bindAddress: '127.0.0.1',
      ports: { agent: { port: 0, isExact: false }, mcp: { port: 0, isExact: false } },
      workers: 1,
      stateFolder,
      drainMs: 100,
      signal: quit.signal,
      tell: (event) => {
        events.push(event);
        for (const wake of waiting.splice(0)) wake();
      },
    },
  );
  onTestFinished(async () => {
    quit.abort();
    await session;
  });
  return async function next<Name extends ServeEvent['event']>(wanted: Name): Promise<EventOf<Name>> {
    for (;;) {
      const found = events.find((event) => event.event === wanted);
      if (found) return found as EventOf<Name>;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
}

describe('the code on a host', () => {
  it('is given the package that the host is, from every subpath and under every name, whatever its folder is', {
    tags: 'long',
  }, async () => {
    const project = await startPushingProject();
    await installFacades(project.root);
    await project.write(codeWithOwnPackage);
    const database = await project.context.openDatabase(path.join(project.root, 'notes.sqlite'));
    database.execute("insert into notes (id, text) values (1, 'hello')");
    database.close();
    const next = await startHost(project);
    await next('waiting');
    await push(project.context, { folder: project.root, message: '', isDeployed: true });
    const { url } = await next('serving');
    const token = await sessionTokenFor({ platformUrl: project.serverUrl, envSecret: project.envSecret });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const note = `${url}/notes/1?timezone=UTC`;
    const read = await (await fetch(`${note}&fields[notes]=loud,seen`, { headers })).json();
    expect(read).toMatchObject({ data: { attributes: { loud: 'hello!', seen: 'the same 6' } } });
    const body = JSON.stringify({ data: { attributes: { text: 'other' } } });
    const refused = await fetch(note, { method: 'PUT', headers, body });
    const answer = await refused.text();
    expect([refused.status, answer]).toEqual([400, expect.stringContaining('The note is closed.')]);
  });

  it('is served by another version of the package with a warning that names both', { tags: 'long' }, async () => {
    const project = await startPushingProject();
    const next = await startHost(project, '9.8.7');
    await next('waiting');
    await push(project.context, { folder: project.root, message: '', isDeployed: true });
    const { builtWith, host } = await next('built-with-other-version');
    expect([builtWith, host]).toEqual([project.context.package.version, '9.8.7']);
    await next('serving');
  });

  it('gets the next step where it asks for a module by a name that nobody knew at the build', async () => {
    const project = await startPushingProject();
    await project.write(`const name = ['left', 'pad'].join('-'); export default () => void require(name);`);
    const error = await push(project.context, { folder: project.root, message: '', isDeployed: true }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining("Cannot find module 'left-pad'"),
      nextSteps: [expect.stringContaining('Import an installed package by its name')],
    });
  });
});
