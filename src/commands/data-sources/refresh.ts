import { CloudCommand } from '#cli/cloud-command';
import { projectFlags } from '#cli/project-flags';
import { renderUpdateTypings } from '#cli/render-results';
import { refreshDataSources } from '#flows/data-sources/refresh-data-sources';

export default class DataSourcesRefresh extends CloudCommand {
  static override summary = 'Read the tables of the databases anew, and write the types of the project.';
  static override examples = ['<%= config.bin %> data-sources refresh'];
  static override flags = projectFlags;

  override async run(): Promise<void> {
    const { flags } = await this.parse(DataSourcesRefresh);
    const context = this.createContext();
    this.present(await refreshDataSources(context, flags.project ?? context.workingFolder), renderUpdateTypings);
  }
}
