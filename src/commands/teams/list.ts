import { CloudCommand } from '#cli/command/cloud-command';
import { projectFlags } from '#cli/flags/project-flags';

export default class TeamsList extends CloudCommand {
  static override summary = 'List the teams of the project, and how many people are in each.';
  static override examples = ['<%= config.bin %> teams list', '<%= config.bin %> teams list --json'];
  static override flags = { ...projectFlags };

  override async run(): Promise<void> {
    const { flags } = await this.parse(TeamsList);
    const context = await this.createContext();
    const { listTeams } = await import('#flows/people/manage-teams');
    const { renderTeams } = await import('#cli/rendering/render-people');
    this.present(await listTeams(context, flags.project ?? context.workingFolder), renderTeams);
  }
}
