import { string as argument } from '@oclif/core/args';
import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';
import { catalogue } from '#kernel/errors/catalogue';

export default class DataSourcesTest extends CloudCommand {
  static override summary = 'Connect to the data sources of the project and read their tables.';
  static override description = 'The exit code is that of the first one that fails.';
  static override examples = [
    '<%= config.bin %> data-sources test',
    '<%= config.bin %> data-sources test archive --json',
  ];
  static override args = { name: argument({ description: 'A data source; all of them by default.' }) };
  static override flags = projectFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(DataSourcesTest);
    const context = await this.createContext();
    const { testDataSources } = await import('#flows/data-sources/test-data-sources');
    const { renderTested } = await import('#cli/rendering/render-data-sources');
    const names = args.name === undefined ? [] : [args.name];
    const tested = await testDataSources(context, flags.project ?? context.workingFolder, names);
    this.present(tested, renderTested);
    const failed = tested.dataSources.find(({ error }) => error !== null)?.error;
    if (failed) this.invocation.environment.setExitCode(catalogue[failed.code].exitCode);
  }
}
