import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class DataSourcesList extends CloudCommand {
  static override summary = 'List the data sources of the project, without their passwords.';
  static override examples = ['<%= config.bin %> data-sources list'];
  static override flags = projectFlags;

  override async run(): Promise<void> {
    const { flags } = await this.parse(DataSourcesList);
    const context = await this.createContext();
    const { listDataSources } = await import('#flows/data-sources/described-source');
    const { renderSources } = await import('#cli/rendering/render-data-sources');
    this.present(await listDataSources(context, flags.project ?? context.workingFolder), renderSources);
  }
}
