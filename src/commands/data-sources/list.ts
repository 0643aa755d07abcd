import { CloudCommand } from '#cli/cloud-command';
import { projectFlags } from '#cli/project-flags';
import { renderSources } from '#cli/render-data-sources';
import { listDataSources } from '#flows/data-sources/list-data-sources';

export default class DataSourcesList extends CloudCommand {
  static override summary = 'List the data sources of the project, without their passwords.';
  static override examples = ['<%= config.bin %> data-sources list'];
  static override flags = projectFlags;

  override async run(): Promise<void> {
    const { flags } = await this.parse(DataSourcesList);
    const context = this.createContext();
    this.present(await listDataSources(context, flags.project ?? context.workingFolder), renderSources);
  }
}
