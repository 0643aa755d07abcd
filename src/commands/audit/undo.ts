import { string as argument } from '@oclif/core/args';
import { boolean, integer, string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { confirmFlags } from '#cli/flags/confirm-flags';
import { agentUrlFlags } from '#cli/flags/insights-flags';
import { parseTimeOrHour, undoTargetOf, versionFlag } from '#cli/flags/log-flags';
import { environmentFlags } from '#cli/flags/project-flags';
import { agentOfFlags, runFlags } from '#cli/flags/run-flags';
import { exitCodes } from '#kernel/errors/catalogue/exit-codes';

export default class AuditUndo extends CloudCommand {
  static override summary =
    'Take back one write, all that somebody wrote since a time, or all that a version of the code did.';
  static override description =
    'Works for collections whose history is kept. Looks for conflicts first, and writes nothing where there is one. Asks before it writes. The agent of the session that serves the project writes, or with --env that of an environment, by your rights there. Ends with exit code 1 where a write fails after others were taken back.';
  static override examples = [
    '<%= config.bin %> audit undo 0b9c3b1e-5f0e-4c39-9f0b-6f6d0f1f7a11',
    '<%= config.bin %> audit undo --client Claude --since 14:00',
    '<%= config.bin %> audit undo --version 12 --env production',
    '<%= config.bin %> audit undo --user ada@example.com --since 2h --env production --yes',
  ];
  static override args = { id: argument({ description: 'Id of the act, as `audit search --json` shows it.' }) };
  static override flags = {
    ...runFlags,
    ...environmentFlags,
    ...agentUrlFlags,
    ...confirmFlags,
    user: string({
      summary: 'All writes of the person with this e-mail address.',
      env: 'SERVICE_USER',
      helpValue: '<e-mail>',
    }),
    client: string({
      summary: 'All writes of this program: id or name of the MCP client or the service account.',
      env: 'SERVICE_CLIENT',
      helpValue: '<id or name>',
    }),
    version: integer(versionFlag),
    since: string({
      summary: 'From this time on: 14:00 on this machine, 2026-01-31T12:00Z, or 2h ago.',
      env: 'SERVICE_SINCE',
      helpValue: '<time>',
    }),
    'accept-loss': boolean({
      summary: 'Have a deleted record back without the values that are not kept.',
      env: 'SERVICE_ACCEPT_LOSS',
    }),
  };

  override async run(): Promise<void> {
    const { flags, args } = await this.parse(AuditUndo);
    const context = await this.createContext();
    const { undoWrites } = await import('#flows/audit/undo/undo-writes');
    const { confirmUndo } = await import('#cli/asking/confirm-change');
    const { renderUndone } = await import('#cli/rendering/render-undone-writes');
    const { user, client, version } = flags;
    const target = undoTargetOf({
      id: args.id,
      user,
      client,
      version,
      since: parseTimeOrHour(flags.since, context.clock.now()),
    });
    const called = this.invocation.environment.arguments;
    const confirm = confirmUndo(context, { isConfirmed: flags.yes, called });
    const agent = await agentOfFlags(flags, this.invocation, context);
    const place = { environment: flags.env, agentUrl: flags['agent-url'] };
    const done = await undoWrites(context, { ...agent, ...place, target, acceptsLoss: flags['accept-loss'], confirm });
    this.present(done, renderUndone);
    if (done.isStopped) this.invocation.environment.setExitCode(exitCodes.failed);
  }
}
