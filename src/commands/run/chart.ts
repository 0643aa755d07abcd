import { string as argument } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { agentOfFlags, runFlags } from '#cli/flags/run-flags';

export default class RunChart extends CloudCommand {
  static override summary = 'Show what a chart of the code shows a person of the project.';
  static override examples = [
    '<%= config.bin %> run chart "Orders a month"',
    '<%= config.bin %> run chart Credit --collection customers --record 7 --json',
  ];
  static override args = { chart: argument({ required: true, description: 'Name of the chart.' }) };
  static override flags = {
    ...runFlags,
    collection: string({
      summary: 'The collection whose chart it is.',
      env: 'SERVICE_COLLECTION',
      dependsOn: ['record'],
      helpValue: '<name>',
    }),
    record: string({
      summary: 'The record that it is about.',
      env: 'SERVICE_RECORD',
      dependsOn: ['collection'],
      helpValue: '<id>',
    }),
    parameter: string({
      summary: 'A parameter of the chart.',
      env: 'SERVICE_PARAMETER',
      multiple: true,
      default: [],
      helpValue: '<name=value>',
    }),
  };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(RunChart);
    const { collection, record } = flags;
    const context = await this.createContext();
    const { runChart } = await import('#flows/run/show-chart');
    const { nameValuePairs } = await import('#cli/flags/name-value-pairs');
    const { renderChart } = await import('#cli/rendering/render-run');
    const result = await runChart(context, {
      ...(await agentOfFlags(flags, this.invocation, context)),
      chart: args.chart,
      about: collection !== undefined && record !== undefined ? { collection, record } : undefined,
      parameters: Object.fromEntries(nameValuePairs(flags.parameter, '--parameter')),
    });
    this.present(result, renderChart);
  }
}
