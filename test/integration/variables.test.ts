import { describe, expect, it } from 'vitest';
import { renderVariables } from '#cli/rendering/render-environments';
import { createTerminal } from '#cli/terminal/terminal';
import { changeVariables, listVariables } from '#flows/environments/manage-variables';
import { push } from '#flows/push/push';
import { processEnvironment } from '#node/environment/process-environment';
import { connectHost } from '#platform-client/host-client';
import { type PushingProject, startPushingProject } from '../helpers/pushing-project.ts';

const secret = 'postgres://app:hunter2@db/shop';

function change({ context, root }: PushingProject, changed: Partial<Parameters<typeof changeVariables>[1]>) {
  return changeVariables(context, { folder: root, environment: undefined, ...changed });
}

function list({ context, root }: PushingProject) {
  return listVariables(context, { folder: root, environment: undefined });
}

describe('variables of an environment', () => {
  it('go to its hosts, and their names alone to people', async () => {
    const project = await startPushingProject();
    const set = await change(project, { set: { DATABASE_URL: secret } });
    expect(set).toEqual({ environment: 'development', revision: 1, set: ['DATABASE_URL'], unset: [], isChanged: true });
    const listed = await list(project);
    expect(listed.variables).toEqual([{ name: 'DATABASE_URL', isLive: false, isNext: true }]);
    expect(JSON.stringify([set, listed])).not.toContain('hunter2');
    const { http, random } = project.context;
    const host = connectHost({ serverUrl: project.serverUrl, envSecret: project.envSecret, http, random });
    expect((await host.fetchVariables(1)).variables).toEqual({ DATABASE_URL: secret });
  });

  it('are reported with the deployments that use them', async () => {
    const project = await startPushingProject();
    await change(project, { set: { OLD: 'a' } });
    await change(project, { set: { KEPT: 'b' } });
    await push(project.context, { folder: project.root, message: '', isDeployed: true });
    await change(project, { set: { NEW: 'c' }, unset: ['OLD'] });
    const listed = await list(project);
    expect(listed).toMatchObject({ revision: 3, live: { deployment: 1, revision: 2 } });
    const terminal = createTerminal(processEnvironment, { isJson: false, hasColor: false });
    expect(renderVariables(listed, terminal).split('\n')).toEqual([
      'NAME  USED BY',
      'KEPT  deployment 1 (live), and the next one',
      'NEW   the next deployment',
      'OLD   deployment 1 (live); removed for the next one',
      '',
      expect.stringContaining('Revision 3 is newer'),
    ]);
  });

  it('make no new revision when they are like that already', async () => {
    const project = await startPushingProject();
    await change(project, { set: { REGION: 'north' } });
    expect(await change(project, { set: { REGION: 'north' } })).toMatchObject({ revision: 1, isChanged: false });
  });

  it.each([
    ['an unknown name is unset', { unset: ['DATABSE_URL'] }, 'Did you mean "DATABASE_URL"?'],
    ['a value is in the name', { set: { 'KEY=hunter2': secret } }, 'letters, digits and underscores'],
    ['a value is too long', { set: { KEY: 'hunter2'.repeat(5_000) } }, 'KEY has more than'],
  ])('are left alone when %s, and no message has a value', async (_what, wrong, reason) => {
    const project = await startPushingProject();
    await change(project, { set: { DATABASE_URL: secret } });
    const error: unknown = await change(project, wrong).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'USAGE_INVALID', message: expect.stringContaining(reason) });
    expect(`${error} ${JSON.stringify(error)}`).not.toContain('hunter2');
    expect((await list(project)).revision).toBe(1);
  });
});
