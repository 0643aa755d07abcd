import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { agentUrlFlags, slowerThanFlag } from '#cli/flags/insights-flags';
import { environmentFlags, projectFlags, targetOf } from '#cli/flags/project-flags';

export default class InsightsCommand extends CloudCommand {
  static override summary =
    'Show what is slow, what reads much to show little, which indexes are missing, and what nobody uses.';
  static override description =
    'Asks the agent of the dev session, or of an environment. The agent counts in memory since its start, and keeps no values. Needs the level admin or developer. Creates no index and changes nothing.';
  static override examples = [
    '<%= config.bin %> insights',
    '<%= config.bin %> insights --env production --slower-than 500',
    '<%= config.bin %> insights --output known-queries.json',
  ];
  static override flags = {
    ...projectFlags,
    ...environmentFlags,
    ...agentUrlFlags,
    'slower-than': slowerThanFlag,
    output: string({
      char: 'o',
      summary: 'File that the slow queries are written to, for `check --insights`.',
      env: 'SERVICE_OUTPUT',
      helpValue: '<file>',
    }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(InsightsCommand);
    const context = await this.createContext();
    const { readInsights } = await import('#flows/insights/read-insights');
    const { renderInsights } = await import('#cli/rendering/render-insights');
    const insights = await readInsights(context, {
      ...targetOf(flags, context),
      agentUrl: flags['agent-url'],
      slowerThanMs: flags['slower-than'],
      output: flags.output,
    });
    this.present(insights, renderInsights);
  }
}
