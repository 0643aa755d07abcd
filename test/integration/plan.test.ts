import { describe, expect, it } from 'vitest';
import { type Plan, plan } from '#flows/plan/plan';
import { loadOnce } from '#flows/project-agent/load-once';
import { push } from '#flows/push/push';
import { codeThatSays, type PushingProject, startPushingProject } from '../helpers/pushing-project.ts';
import { writeFiles } from '../helpers/write-files.ts';

function planOf({ context, root }: PushingProject): Promise<Plan> {
  return plan(context, { folder: root });
}

function pushOf({ context, root }: PushingProject, planId?: string) {
  return push(context, { folder: root, message: '', isDeployed: true, plan: planId });
}

/** Tell the platform what is served, as a host does. */
async function publishSchema({ context, root, client }: PushingProject): Promise<void> {
  await loadOnce(context, root, async ({ agent }) => {
    const schema = await agent.schema(null);
    if (schema) await client.uploadSchema(schema.document, schema.hash);
  });
}

describe('a plan', () => {
  it('says that nothing is live, and what would be', async () => {
    const project = await startPushingProject();
    const planned = await planOf(project);
    expect(planned).toMatchObject({
      environment: 'development',
      live: null,
      isUnchanged: false,
      code: { isChanged: true, before: null, packages: [{ package: null }] },
      schema: null,
      rights: null,
    });
    expect((await project.client.listVersions()).versions).toEqual([]);
  });

  it('names the dashboards, which are a change of the code', async () => {
    const project = await startPushingProject();
    await pushOf(project);
    expect(await planOf(project)).toMatchObject({ isUnchanged: true, dashboards: [] });
    const charts = [{ title: 'Notes', collection: 'notes', type: 'Value', aggregator: 'Count' }];
    await writeFiles(project.root, { 'dashboards/all.json': JSON.stringify({ title: 'All', charts }) });
    const dashboards = [{ name: 'all', title: 'All', charts }];
    expect(await planOf(project)).toMatchObject({ isUnchanged: false, code: { isChanged: true }, dashboards });
    await pushOf(project);
    expect(await planOf(project)).toMatchObject({ isUnchanged: true });
  });

  it('compares collections, fields and actions with what is live, and marks what breaks', async () => {
    const project = await startPushingProject();
    await project.write(`export default (agent) => agent.customizeCollection('notes', (notes) => notes
      .addField('said', { columnType: 'String', dependencies: ['text'], getValues: (rows) => rows.map(() => 'x') })
      .addAction('Archive', { scope: 'Single', execute: () => undefined }));`);
    const { version } = await pushOf(project);
    await publishSchema(project);
    await project.write(`export default (agent) => agent.customizeCollection('notes', (notes) => notes
      .addField('said', { columnType: 'Number', dependencies: ['text'], getValues: (rows) => rows.map(() => 1) })
      .addSegment('All', { field: 'id', operator: 'Present' }));`);
    const planned = await planOf(project);
    expect(planned).toMatchObject({
      live: { deployment: 1, version: 1 },
      isBreaking: true,
      code: { isChanged: true, before: { digest: version.digest } },
    });
    expect(
      planned.schema?.map(({ change, part, facts, isBreaking }) => [change, part?.name, facts, isBreaking]),
    ).toEqual([
      ['removed', 'Archive', [], true],
      ['changed', 'said', ['type: String → Number'], true],
      ['added', 'All', [], false],
    ]);
  });

  it('tells variables that are new, gone or missing, and rights that differ', async () => {
    const project = await startPushingProject();
    await project.client.changeVariables({ set: { OLD: '1', KEPT: '1' }, unset: [], base: 0 });
    await pushOf(project);
    await project.client.changeVariables({ set: { NEW: '1' }, unset: ['OLD'], base: 1 });
    const rights = { roles: { Support: { collections: { notes: { browse: true } } } } };
    const dataSources = { main: { uri: 'sqlite:./${DATABASE_FILE}' } };
    await writeFiles(project.root, {
      'permissions.json': JSON.stringify(rights),
      'vendor-cloud.json': JSON.stringify({ name: 'notebook', dataSources }),
      '.env': 'DATABASE_FILE=notes.sqlite\n',
    });
    expect(await planOf(project)).toMatchObject({
      isBreaking: true,
      variables: { before: 1, after: 2, added: ['NEW'], removed: ['OLD'], missing: ['DATABASE_FILE'] },
      rights: { removed: [], added: [expect.stringContaining('Role "Support" may browse "notes"')] },
    });
  });

  it('is carried out as it was made', async () => {
    const project = await startPushingProject();
    const { id } = await planOf(project);
    expect((await pushOf(project, id)).deployment).toMatchObject({ number: 1, state: 'live' });
    expect(await planOf(project)).toMatchObject({ isUnchanged: true });
  });

  it('is refused once something else is live or the code has changed', async () => {
    const project = await startPushingProject();
    const { id } = await planOf(project);
    await project.write(codeThatSays('other'));
    await expect(pushOf(project, id)).rejects.toMatchObject({ code: 'PLAN_STALE' });
    expect((await project.client.listVersions()).versions).toEqual([]);
    await pushOf(project);
    await project.write(codeThatSays('hello'));
    await expect(pushOf(project, id)).rejects.toMatchObject({
      code: 'PLAN_STALE',
      message: expect.stringContaining('nothing was live, and deployment 1 is now'),
    });
    expect((await project.client.listDeployments()).live).toBe(1);
  });
});
