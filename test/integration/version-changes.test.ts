import { expect, it } from 'vitest';
import { push } from '#flows/push/push';
import { sha256Hex } from '#node/system/digest';
import { uploadVersion } from '../helpers/delivered-versions.ts';
import { codeThatSays, startPushingProject } from '../helpers/pushing-project.ts';
import { writeFiles } from '../helpers/write-files.ts';

it('a version tells what it changes of another one, in the words of a plan', { tags: 'long' }, async () => {
  const { context, root, client, write } = await startPushingProject();
  const pushed = async (message: string) => push(context, { folder: root, message, isDeployed: false });
  await pushed('first');
  const rights = { roles: { Support: { collections: { notes: { browse: true } } } } };
  const charts = [{ title: 'Notes', collection: 'notes', type: 'Value', aggregator: 'Count' }];
  await writeFiles(root, {
    'permissions.json': JSON.stringify(rights),
    'dashboards/all.json': JSON.stringify({ title: 'All notes', charts }),
  });
  await write(codeThatSays('hello').replace("'String'", "'Number'").replace("'hello'", '1'));
  await pushed('second');
  expect(await client.versionChanges(2, 1)).toMatchObject({
    version: 2,
    replacing: 1,
    isBreaking: true,
    schema: [{ change: 'changed', words: 'field said of notes: type: String → Number', isBreaking: true }],
    dashboards: [{ change: 'added', words: 'All notes (all)' }],
    settings: [],
    rights: [{ change: 'added', words: expect.stringContaining('Role "Support" may browse "notes"') }],
  });
  // What going back would undo.
  expect(await client.versionChanges(1, 2)).toMatchObject({
    schema: [{ words: 'field said of notes: type: Number → String' }],
    dashboards: [{ change: 'removed', words: 'All notes (all)' }],
    rights: [{ change: 'removed' }],
  });
  const repeated = await push(context, { folder: root, message: 'again', isDeployed: false });
  expect(repeated.version.number).toBe(2);
});

it('a version without a schema says that nobody knows what changed, and a data source is named without its address', async () => {
  const { client, root, context } = await startPushingProject();
  await push(context, { folder: root, message: 'first', isDeployed: false });
  const dataSources = { secret: { uri: 'postgres://ada:hunter2@db/x' } };
  await uploadVersion(client, { message: 'older', typeOfTotal: null, dataSources });
  const changes = await client.versionChanges(2, 1);
  expect(changes).toMatchObject({
    schema: null,
    isBreaking: false,
    settings: [
      { change: 'removed', words: 'data source main' },
      { change: 'added', words: 'data source secret' },
    ],
  });
  expect(JSON.stringify(changes)).not.toContain('hunter2');
  expect(await client.versionChanges(9, 1)).toBeUndefined();
});

it('a version whose parts are not documents is compared as far as it can be', async () => {
  const { client } = await startPushingProject();
  const bytes = Buffer.from('{ not JSON');
  await client.uploadBundle(sha256Hex(bytes), bytes);
  const part = { digest: sha256Hex(bytes), sizeBytes: bytes.byteLength };
  const { projectId } = await client.me();
  await client.createVersion({
    manifest: {
      formatVersion: 2,
      projectId,
      code: part,
      permissions: part,
      schema: part,
      dataSources: {},
      builtWith: '0.1.0',
      gitCommit: null,
    },
    message: '',
    idempotencyKey: '7f3a8f0e-8b1c-4d39-9c8e-3f6f2d9a1b2c',
  });
  expect(await client.versionChanges(1, 1)).toMatchObject({ schema: null, rights: null, dashboards: [], settings: [] });
});
