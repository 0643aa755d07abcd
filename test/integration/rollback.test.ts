import { describe, expect, it } from 'vitest';
import { confirmSwap } from '#cli/asking/confirm-change';
import { createPrompts } from '#cli/terminal/prompts';
import { createTerminal } from '#cli/terminal/terminal';
import { listVersions } from '#flows/deployments/list-versions';
import { promote } from '#flows/deployments/promote';
import { rollBack } from '#flows/deployments/roll-back';
import type { Swap } from '#flows/deployments/swap-confirmation';
import { push } from '#flows/push/push';
import { processEnvironment } from '#node/environment/process-environment';
import { connectHost } from '#platform-client/host-client';
import { createPlatformClient } from '#platform-client/platform-client';
import { eventually } from '../helpers/eventually.ts';
import { codeThatSays, type PushingProject, startPushingProject } from '../helpers/pushing-project.ts';
import { writeFiles } from '../helpers/write-files.ts';

async function pushCode({ context, root, write }: PushingProject, word: string) {
  await write(codeThatSays(word));
  return push(context, { folder: root, message: word, isDeployed: true });
}

/** Two pushes of other code with other variables, so that there is something to go back to. */
async function pushedTwice(): Promise<PushingProject> {
  const project = await startPushingProject();
  await pushCode(project, 'old');
  await project.client.changeVariables({ set: { REGION: 'north' }, unset: [], base: 0 });
  await pushCode(project, 'new');
  return project;
}

const yes = async () => true;

describe('a rollback', () => {
  it('shows what is live and what would be, and does nothing unless it is wanted', async () => {
    const { context, root, client } = await pushedTwice();
    let shown: Swap | undefined;
    const confirm = async (swap: Swap) => {
      shown = swap;
      return false;
    };
    const kept = await rollBack(context, { folder: root, environment: undefined, to: undefined, confirm });
    expect(kept).toEqual({ environment: 'development', deployment: null });
    expect(shown).toMatchObject({
      current: { deployment: { number: 2, variablesRevision: 1 }, version: { message: 'new' } },
      target: { deployment: { number: 1, variablesRevision: 0 }, version: { message: 'old' } },
      changes: { version: 1, replacing: 2, schema: [], isBreaking: false },
    });
    expect((await client.listDeployments()).live).toBe(2);
  });

  it('serves again what was served before, whatever the code on disk is like', async () => {
    const { context, root, write } = await pushedTwice();
    await write('this does not build');
    const input = { folder: root, environment: undefined, confirm: yes };
    expect((await rollBack(context, { ...input, to: undefined })).deployment).toMatchObject({
      number: 3,
      version: 1,
      variablesRevision: 0,
      state: 'live',
    });
    expect((await rollBack(context, { ...input, to: 2 })).deployment).toMatchObject({
      version: 2,
      variablesRevision: 1,
    });
    expect(await listVersions(context, { folder: root, limit: 20 })).toMatchObject({
      live: 2,
      versions: [{ number: 2, message: 'new' }, { number: 1 }],
      // The numbers that a rollback takes.
      deployments: [
        { number: 4, version: 2 },
        { number: 3, version: 1 },
      ],
    });
  });

  it('refuses the deployment that is live already, and asks nothing', async () => {
    const { context, root } = await pushedTwice();
    const confirm = async (): Promise<boolean> => expect.unreachable('Nobody is asked.');
    await expect(rollBack(context, { folder: root, environment: undefined, to: 2, confirm })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: 'Deployment 2 is live in "development" already.',
      nextSteps: [
        'Go back to the one before: vendor-cloud rollback --env development',
        'See which deployments there are: vendor-cloud versions --env development',
      ],
    });
  });

  it('has nowhere to go before the second deployment', async () => {
    const project = await startPushingProject();
    await pushCode(project, 'first');
    const input = { folder: project.root, environment: undefined, to: undefined, confirm: yes };
    await expect(rollBack(project.context, input)).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
      nextSteps: ['Push a version that is right: vendor-cloud push --env development'],
    });
  });

  it('needs --yes where nobody can be asked, and names the exact command', async () => {
    const { context, root, client } = await pushedTwice();
    const terminal = createTerminal(processEnvironment, { isJson: true, hasColor: false });
    const called = ['rollback', '1', '--env', 'development'];
    const nobody = { isInteractive: false, prompts: createPrompts() };
    const confirm = confirmSwap(nobody, terminal, { isConfirmed: false, called });
    const input = { folder: root, environment: 'development', to: 1, confirm };
    await expect(rollBack(context, input)).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      nextSteps: ['Confirm it: vendor-cloud rollback 1 --env development --yes'],
    });
    expect((await client.listDeployments()).live).toBe(2);
  });
});

describe('a promotion', () => {
  async function withStaging(): Promise<PushingProject & { readonly stagingSecret: string }> {
    const project = await startPushingProject();
    const { SERVICE_AUTH_TOKEN: token } = project.context.variables;
    const answer = await fetch(`${project.serverUrl}/api/environments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'staging', type: 'production' }),
    });
    expect(answer.status).toBe(201);
    const { secret } = (await answer.json()) as { readonly secret: string };
    return { ...project, stagingSecret: secret };
  }

  it('serves the very version of one environment in another, and says when it does already', async () => {
    const project = await withStaging();
    const { version } = await pushCode(project, 'built once');
    await project.write('this does not build');
    const input = { folder: project.root, from: undefined, to: 'staging', confirm: yes };
    const promoted = await promote(project.context, input);
    expect(promoted).toMatchObject({
      from: 'development',
      environment: 'staging',
      isUnchanged: false,
      deployment: { number: 1, version: version.number, state: 'live' },
    });
    const refuse = async () => false;
    expect(await promote(project.context, { ...input, confirm: refuse })).toMatchObject({
      isUnchanged: true,
      deployment: { number: 1 },
    });
  });

  it('ends with the command that sets a variable which the other environment does not have', async () => {
    const project = await withStaging();
    const config = { name: 'notebook', dataSources: { main: { uri: '${NOTES_URL}' } } };
    await writeFiles(project.root, { 'vendor-cloud.json': JSON.stringify(config) });
    const variables = { ...project.context.variables, NOTES_URL: 'sqlite:./notes.sqlite' };
    const context = { ...project.context, variables };
    await project.client.changeVariables({ set: { NOTES_URL: 'x' }, unset: [], base: 0 });
    await pushCode({ ...project, context }, 'built once');
    const { http, random } = context;
    const host = connectHost({ serverUrl: project.serverUrl, envSecret: project.stagingSecret, http, random });
    const beat = { host: random.uuid(), name: 'poor', workers: 1, serving: null, checked: null, log: [] };
    await host.beat({ ...beat, refused: null });
    const input = { folder: project.root, from: undefined, to: 'staging', confirm: yes };
    const promoting = promote(context, input).catch((error: unknown) => error);
    const credentials = { userToken: project.context.variables['SERVICE_AUTH_TOKEN'] ?? '' };
    const { serverUrl } = project;
    const staging = createPlatformClient({ serverUrl, http, credentials, environment: 'staging' });
    await eventually(async () => expect((await staging.deployment(1)).state).toBe('checking'));
    await host.beat({ ...beat, refused: { deployment: 1, reason: 'NOTES_URL is not set.' } });
    expect(await promoting).toMatchObject({
      code: 'DEPLOYMENT_FAILED',
      nextSteps: [
        'Set NOTES_URL: vendor-cloud variables set NOTES_URL --env staging < file-with-the-value',
        expect.any(String),
      ],
    });
  });

  it('is refused within one environment, and where nothing is live', async () => {
    const project = await withStaging();
    const input = { folder: project.root, confirm: yes };
    await expect(promote(project.context, { ...input, from: 'staging', to: 'staging' })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
    });
    await expect(promote(project.context, { ...input, from: 'staging', to: 'development' })).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
    });
  });
});
