import { describe, expect, it } from 'vitest';
import { examineTeamPlatform } from '#flows/doctor/team-platform-checks';
import { flowContext } from '../../../helpers/flow-context.ts';
import { startHttpServer } from '../../../helpers/http-server.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

describe('the checks of the platform of a team', () => {
  it('ask each agent at its address, and say nothing of a project', async () => {
    const { origin } = await startHttpServer((request, response) => {
      response.statusCode = request.url === '/service' ? 200 : 404;
      response.end();
    });
    const gone = await startHttpServer(() => undefined);
    await gone.close();
    const checks = await examineTeamPlatform(flowContext(await temporaryFolder()), {
      agents: [
        { environment: 'production', url: `${origin}/service` },
        { environment: 'staging', url: `${origin}/other` },
        { environment: 'preview', url: gone.origin },
      ],
      mailServer: { host: 'smtp.example.test', port: 587 },
    });
    const found = Object.fromEntries(checks.map(({ name, status, message }) => [name, `${status}: ${message}`]));
    expect(Object.keys(found)).toEqual([
      ...['Node.js', 'certificates', 'proxy', 'mail'],
      ...['agent of production', 'agent of staging', 'agent of preview'],
    ]);
    expect(found['mail']).toBe('ok: Mails go through smtp.example.test:587.');
    expect(found['agent of production']).toBe(`ok: It answers at ${origin}/service.`);
    expect(found['agent of staging']).toBe(`failed: ${origin}/other answers with the status 404.`);
    expect(found['agent of preview']).toContain(`failed: Nothing answers at ${gone.origin}.`);
    expect(checks.at(-1)?.nextSteps.join(' ')).toContain('--agent-address');
  });

  it('say what a platform goes without', async () => {
    const context = flowContext(await temporaryFolder());
    const checks = await examineTeamPlatform(context, { agents: [], mailServer: undefined });
    expect(checks.filter(({ status }) => status === 'skipped').map(({ name }) => name)).toEqual(['mail', 'agents']);
  });
});
