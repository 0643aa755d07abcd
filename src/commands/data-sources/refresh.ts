import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class DataSourcesRefresh extends CloudCommand {
  static override summary = 'Read the tables of the databases again, and write the types of the project.';
  static override examples = ['<%= config.bin %> data-sources refresh'];
  static override flags = projectFlags;

  override async run(): Promise<void> {
    const { flags } = await this.parse(DataSourcesRefresh);
    const context = await this.createContext();
    const { refreshDataSources } = await import('#flows/data-sources/refresh-data-sources');
    const { renderUpdateTypings } = await import('#cli/rendering/render-project');
    this.present(await refreshDataSources(context, flags.project ?? context.workingFolder), renderUpdateTypings);
  }
}
